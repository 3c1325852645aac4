import {
  type Address,
  type Hex,
  concatHex,
  encodeAbiParameters,
  getContractAddress,
  keccak256,
  toHex,
} from 'viem';
import { entryPointV08Bytecode } from './generated/EntryPointV08.js';
import { intentValidatorBytecode } from './generated/IntentValidator.js';
import { usdcPaymasterBytecode } from './generated/UsdcPaymaster.js';
import { yieldExecutorBytecode } from './generated/YieldExecutor.js';
import { yieldVaultAccountBytecode } from './generated/YieldVaultAccount.js';

/** Contracts of others, at the addresses they have on every supported chain or on each. */
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
} as const;

/** Addresses of one deployment of the suite. */
export interface SuiteAddresses {
  readonly account: Address;
  readonly validator: Address;
  readonly executor: Address;
  readonly paymaster: Address;
}

/**
 * The suite with the local paymaster owner, the same on every chain. Literals, so that a change of the Solidity
 * sources cannot move an address unseen: a test recomputes them.
 */
export const suite = {
  account: '0x06810413076729dcf73bBCd17E36EFd7E92FD7d6',
  validator: '0x94E26D12D8c51176E63Ac8a9bD07D356494d93ed',
  executor: '0xEeB10346DcA9C0B22f53b69965557171EaB00Fcc',
  paymaster: '0xf5f56c6df5Dd6F50544cFF3FE94c909E11388622',
} as const satisfies SuiteAddresses;

/** What a deployment of the suite depends on besides its code. */
export interface SuiteOptions {
  /** Owner of the paymaster; part of its creation code, hence of its address and of the executor's. */
  readonly paymasterOwner?: Address;
}

/** A contract that the Arachnid deployer can create. */
export interface Create2Deployment {
  readonly address: Address;
  readonly salt: Hex;
  /** Creation code with the encoded constructor arguments behind it. */
  readonly initCode: Hex;
}

/** First account of every Anvil and Hardhat node. Its key is public: never for a chain with value on it. */
export const localPaymasterOwner: Address = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';

/** Largest allowance that the executor grants to the paymaster, in base units of USDC. */
export const paymasterAllowanceCap = 100_000_000n;

const suiteSalt = keccak256(toHex('yieldvault.suite.1.0.0'));

function create2(initCode: Hex, salt: Hex): Create2Deployment {
  const address = getContractAddress({
    opcode: 'CREATE2',
    from: canonical.create2Deployer,
    salt,
    bytecode: initCode,
  });
  return { address, salt, initCode };
}

/** The deployment that puts the entry point at its canonical address. */
export function entryPointDeployment(): Create2Deployment {
  return create2(entryPointV08Bytecode, '0x0a59dbff790c23c976a548690c27297883cc66b4c67024f9117b0238995e35e9');
}

/**
 * Compute what creates the suite, in an order in which it can be deployed.
 *
 * @returns Address, salt and creation code of each contract; equal on every chain.
 * @example
 * suiteDeployments({ paymasterOwner: '0x…' }).account.address
 */
export function suiteDeployments(options: SuiteOptions = {}): {
  readonly account: Create2Deployment;
  readonly validator: Create2Deployment;
  readonly paymaster: Create2Deployment;
  readonly executor: Create2Deployment;
} {
  const owner = options.paymasterOwner ?? localPaymasterOwner;
  const entryPoint = encodeAbiParameters([{ type: 'address' }], [canonical.entryPointV08]);
  const paymaster = create2(
    concatHex([
      usdcPaymasterBytecode,
      encodeAbiParameters([{ type: 'address' }, { type: 'address' }], [canonical.entryPointV08, owner]),
    ]),
    suiteSalt,
  );
  const executorArguments = encodeAbiParameters(
    [{ type: 'address' }, { type: 'uint256' }],
    [paymaster.address, paymasterAllowanceCap],
  );
  return {
    account: create2(concatHex([yieldVaultAccountBytecode, entryPoint]), suiteSalt),
    validator: create2(intentValidatorBytecode, suiteSalt),
    paymaster,
    executor: create2(concatHex([yieldExecutorBytecode, executorArguments]), suiteSalt),
  };
}

/**
 * Compute the addresses of the suite for a paymaster owner.
 *
 * @returns EIP-55 addresses, equal on every chain.
 */
export function suiteAddresses(options: SuiteOptions = {}): SuiteAddresses {
  const { account, validator, executor, paymaster } = suiteDeployments(options);
  return {
    account: account.address,
    validator: validator.address,
    executor: executor.address,
    paymaster: paymaster.address,
  };
}
