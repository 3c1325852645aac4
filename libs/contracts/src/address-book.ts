import {
  type Address,
  type Hex,
  concatHex,
  encodeAbiParameters,
  getAddress,
  getContractAddress,
  keccak256,
  toHex,
} from 'viem';
import { entryPointV08Bytecode } from './generated/EntryPointV08.js';
import { intentValidatorBytecode } from './generated/IntentValidator.js';
import { usdcPaymasterBytecode } from './generated/UsdcPaymaster.js';
import { yieldExecutorBytecode } from './generated/YieldExecutor.js';
import { yieldVaultAccountBytecode } from './generated/YieldVaultAccount.js';

/** Addresses of third-party contracts, equal on every chain or by chain id. */
export const canonical = {
  entryPointV08: '0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108',
  /** keccak256 of its runtime code, whose immutables (domain separator) depend on the chain. */
  entryPointV08CodeHash: {
    1: '0x44e632a24c6f2600cbd5b5b8b4c2d372359112c8b5774297f5fd0a9e64f11f86',
    8453: '0x28f989233f4ffb52e4b168fb74df5dfa52fe0f846141774f5abc56c5604d8e46',
  },
  /** Arachnid's deterministic deployment proxy. */
  create2Deployer: '0x4e59b44847b379578588920cA78FbF26c0B4956C',
  multicall3: '0xcA11bde05977b3631167028862bE2a173976CA11',
  usdc: {
    1: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
    8453: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  },
  weth: {
    1: '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2',
    8453: '0x4200000000000000000000000000000000000006',
  },
  circlePaymaster: {
    1: '0x0578cFB241215b77442a541325d6A4E6dFE700Ec',
    8453: '0x0578cFB241215b77442a541325d6A4E6dFE700Ec',
  },
  /** Chainlink ETH/USD, 8 decimals. */
  ethUsdFeed: {
    1: '0x5f4eC3Df9cbd43714FE2740f5E3616155c5b8419',
    8453: '0x71041dddad3595F9CEd3DcCFBe3D1F4b0a16Bb70',
  },
  /** Chainlink USDC/USD, 8 decimals. */
  usdcUsdFeed: {
    1: '0x8fFfFfd4AfB6115b954Bd326cbe7B4BA576818f6',
    8453: '0x7e860098F58bBFC8648a4311b374B1D669a2bc6B',
  },
  /** Chainlink L2 sequencer uptime; Ethereum has none. */
  sequencerFeed: { 8453: '0xBCF85224fc0756B9Fa45aA7892530B47e10b6433' },
  /** GasPriceOracle of the OP stack; Ethereum has none. */
  l1FeeOracle: { 8453: '0x420000000000000000000000000000000000000F' },
} as const;

/** Addresses of one deployment of our contracts. */
export interface ContractAddresses {
  readonly account: Address;
  readonly validator: Address;
  readonly executor: Address;
  readonly paymaster: Address;
}

/**
 * Our contracts with the local paymaster owner, equal on every chain. Literals: a test recomputes them, so a change of the
 * Solidity sources cannot move an address unnoticed.
 */
export const localContracts = {
  account: '0x90fD71eB618117bf299AdE572a966CC8c604f2A2',
  validator: '0x89e97dE4a77F70FdC5bD5Bb9F9c9133BdB177B10',
  executor: '0x0A8EF43BB27d4a416810542d2CfA17306c15ac77',
  paymaster: '0xaDC167867e5b673A1077Bbac408Ac5130eFD04B6',
} as const satisfies ContractAddresses;

/** Our contracts with Circle's paymaster, which has one address on all chains. Literals as above. */
export const circleContracts = {
  account: '0x9d2C22215c35bC3E82004cfe86097E249A813b26',
  validator: '0x89e97dE4a77F70FdC5bD5Bb9F9c9133BdB177B10',
  executor: '0x470445D38Ba6Bcb89bf0114D4cFa68670E67F999',
  paymaster: '0x0578cFB241215b77442a541325d6A4E6dFE700Ec',
} as const satisfies ContractAddresses;

/** Settings that change the addresses of our contracts. */
export interface ContractOptions {
  /** Owner of our paymaster. The addresses of paymaster, executor and account depend on it. */
  readonly paymasterOwner?: Address;
  /** A third-party paymaster that the executor approves. Ours is not deployed then. */
  readonly paymaster?: Address;
}

/** A contract that the Arachnid deployer can create. */
export interface Create2Deployment {
  readonly address: Address;
  readonly salt: Hex;
  /** Creation code, then the encoded constructor arguments. */
  readonly initCode: Hex;
}

/** First account of every Anvil and Hardhat node. Its key is public: never use it on a real chain. */
export const localPaymasterOwner: Address = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';

/** Largest allowance that the executor grants to the paymaster on a chain, in base units of USDC. */
export const paymasterAllowanceCaps = { 1: 500_000_000n, 8453: 100_000_000n } as const;

const contractSalt = /* @__PURE__ */ keccak256(/* @__PURE__ */ toHex('yieldvault.suite.2.0.0'));

function create2(initCode: Hex, salt: Hex): Create2Deployment {
  const address = getContractAddress({
    opcode: 'CREATE2',
    from: canonical.create2Deployer,
    salt,
    bytecode: initCode,
  });
  return { address, salt, initCode };
}

/** The deployment that puts EntryPoint v0.8 at its canonical address. */
// Without the mark, bundlers keep the bytecode for importers that never use it.
export const entryPointDeployment = /* @__PURE__ */ create2(
  entryPointV08Bytecode,
  '0x0a59dbff790c23c976a548690c27297883cc66b4c67024f9117b0238995e35e9',
);

/** The deployment of each of our contracts, in the order in which they can be deployed. */
export interface ContractDeployments {
  readonly validator: Create2Deployment;
  /** Absent with a third-party paymaster. */
  readonly paymaster?: Create2Deployment;
  readonly executor: Create2Deployment;
  readonly account: Create2Deployment;
}

/**
 * Compute the deployments of our contracts.
 *
 * @returns Address, salt and creation code of each contract; equal on every chain.
 * @example
 * contractDeployments({ paymasterOwner: '0x…' }).account.address
 */
export function contractDeployments(options: ContractOptions = {}): ContractDeployments {
  const validator = create2(intentValidatorBytecode, contractSalt);
  const executor = create2(withAddresses(yieldExecutorBytecode, paymasterAddress(options)), contractSalt);
  const account = create2(
    withAddresses(yieldVaultAccountBytecode, canonical.entryPointV08, validator.address, executor.address),
    contractSalt,
  );
  const paymaster = options.paymaster === undefined && { paymaster: ownPaymaster(options) };
  return { validator, ...paymaster, executor, account };
}

/** Append constructor arguments to creation code. */
function withAddresses(bytecode: Hex, ...addresses: readonly Address[]): Hex {
  const types = addresses.map(() => ({ type: 'address' }) as const);
  return concatHex([bytecode, encodeAbiParameters(types, addresses)]);
}

function ownPaymaster({ paymasterOwner = localPaymasterOwner }: ContractOptions): Create2Deployment {
  return create2(withAddresses(usdcPaymasterBytecode, canonical.entryPointV08, paymasterOwner), contractSalt);
}

function paymasterAddress(options: ContractOptions): Address {
  return getAddress(options.paymaster ?? ownPaymaster(options).address);
}

/**
 * Compute the addresses of our contracts for the owner of our paymaster, or for another paymaster.
 *
 * @returns EIP-55 addresses, equal on every chain.
 */
export function contractAddresses(options: ContractOptions = {}): ContractAddresses {
  const { account, validator, executor } = contractDeployments(options);
  return {
    account: account.address,
    validator: validator.address,
    executor: executor.address,
    paymaster: paymasterAddress(options),
  };
}
