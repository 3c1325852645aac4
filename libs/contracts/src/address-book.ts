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
import { entryPointV07Bytecode } from './generated/EntryPointV07.js';
import { entryPointV08Bytecode } from './generated/EntryPointV08.js';
import { intentValidatorBytecode } from './generated/IntentValidator.js';
import { usdcPaymasterBytecode } from './generated/UsdcPaymaster.js';
import { usdcPaymasterV07Bytecode } from './generated/UsdcPaymasterV07.js';
import { yieldExecutorBytecode } from './generated/YieldExecutor.js';
import { yieldVaultAccountBytecode } from './generated/YieldVaultAccount.js';

/** Contracts of others, at the addresses they have on every supported chain or on each. */
export const canonical = {
  entryPointV07: '0x0000000071727De22E5E9d8BAf0edAc6f37da032',
  /** keccak256 of its runtime code, the same on every chain. */
  entryPointV07CodeHash: '0x8db5ff695839d655407cc8490bb7a5d82337a86a6b39c3f0258aa6c3b582fc58',
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
  /** Circle's paymaster by entry point and chain. For EntryPoint v0.7 there is none on Ethereum. */
  circlePaymaster: {
    '0.7': { 8453: '0x6C973eBe80dCD8660841D4356bf15c32460271C9' },
    '0.8': {
      1: '0x0578cFB241215b77442a541325d6A4E6dFE700Ec',
      8453: '0x0578cFB241215b77442a541325d6A4E6dFE700Ec',
    },
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

/** Entry points that the suite can be deployed for. */
export type SuiteEntryPointVersion = '0.7' | '0.8';

/** What a deployment of the suite depends on besides its code. */
export interface SuiteOptions {
  /** Owner of the suite's own paymaster; part of its creation code, hence of its address and of the executor's. */
  readonly paymasterOwner?: Address;
  /** `0.8` by default. The account, the suite's own paymaster and with it the executor have other addresses for each. */
  readonly entryPointVersion?: SuiteEntryPointVersion;
  /** A paymaster of others that the executor is to approve: then the suite has none of its own. */
  readonly paymaster?: Address;
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

const entryPointDeployments: Readonly<Record<SuiteEntryPointVersion, Create2Deployment>> = {
  '0.7': create2(entryPointV07Bytecode, '0x90d8084deab30c2a37c45e8d47f49f2f7965183cb6990a98943ef94940681de3'),
  '0.8': create2(entryPointV08Bytecode, '0x0a59dbff790c23c976a548690c27297883cc66b4c67024f9117b0238995e35e9'),
};

/** The deployment that puts an entry point at its canonical address. */
export function entryPointDeployment(version: SuiteEntryPointVersion = '0.8'): Create2Deployment {
  return entryPointDeployments[version];
}

/** What creates each contract of the suite, in an order in which it can be deployed. */
export interface SuiteDeployments {
  readonly account: Create2Deployment;
  readonly validator: Create2Deployment;
  /** Absent when the paymaster is one of others. */
  readonly paymaster?: Create2Deployment;
  readonly executor: Create2Deployment;
}

/**
 * Compute what creates the suite.
 *
 * @returns Address, salt and creation code of each contract; equal on every chain.
 * @example
 * suiteDeployments({ paymasterOwner: '0x…' }).account.address
 */
export function suiteDeployments(options: SuiteOptions = {}): SuiteDeployments {
  const entryPoint = encodeAbiParameters(
    [{ type: 'address' }],
    [entryPointDeployment(options.entryPointVersion).address],
  );
  const executorArguments = encodeAbiParameters(
    [{ type: 'address' }, { type: 'uint256' }],
    [paymasterAddress(options), paymasterAllowanceCap],
  );
  return {
    account: create2(concatHex([yieldVaultAccountBytecode, entryPoint]), suiteSalt),
    validator: create2(intentValidatorBytecode, suiteSalt),
    ...(options.paymaster === undefined && { paymaster: ownPaymaster(options) }),
    executor: create2(concatHex([yieldExecutorBytecode, executorArguments]), suiteSalt),
  };
}

function ownPaymaster({
  entryPointVersion,
  paymasterOwner = localPaymasterOwner,
}: SuiteOptions): Create2Deployment {
  const constructorArguments = encodeAbiParameters(
    [{ type: 'address' }, { type: 'address' }],
    [entryPointDeployment(entryPointVersion).address, paymasterOwner],
  );
  const bytecode = entryPointVersion === '0.7' ? usdcPaymasterV07Bytecode : usdcPaymasterBytecode;
  return create2(concatHex([bytecode, constructorArguments]), suiteSalt);
}

function paymasterAddress(options: SuiteOptions): Address {
  return getAddress(options.paymaster ?? ownPaymaster(options).address);
}

/**
 * Compute the addresses of the suite for an entry point and a paymaster, or the owner of the suite's own.
 *
 * @returns EIP-55 addresses, equal on every chain.
 */
export function suiteAddresses(options: SuiteOptions = {}): SuiteAddresses {
  const { account, validator, executor } = suiteDeployments(options);
  return {
    account: account.address,
    validator: validator.address,
    executor: executor.address,
    paymaster: paymasterAddress(options),
  };
}
