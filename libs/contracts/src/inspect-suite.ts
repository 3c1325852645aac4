import { type Address, type Hex, type PublicClient, hexToBytes, keccak256, size } from 'viem';
import { type SuiteAddresses, canonical } from './address-book.js';
import type { SuiteContract } from './deploy-suite.js';
import { UnsupportedChainError } from './errors.js';
import {
  intentValidatorDeployedBytecode,
  intentValidatorImmutableReferences,
} from './generated/IntentValidator.js';
import {
  usdcPaymasterDeployedBytecode,
  usdcPaymasterImmutableReferences,
} from './generated/UsdcPaymaster.js';
import {
  yieldExecutorDeployedBytecode,
  yieldExecutorImmutableReferences,
} from './generated/YieldExecutor.js';
import {
  yieldVaultAccountDeployedBytecode,
  yieldVaultAccountImmutableReferences,
} from './generated/YieldVaultAccount.js';

/** How a contract on a chain compares with what this package would deploy. */
export interface ContractInspection {
  readonly contract: SuiteContract;
  readonly address: Address;
  readonly status: 'ok' | 'missing' | 'mismatch';
  /** Hash of the code found, its immutables zeroed; absent when there is none. */
  readonly codeHash?: Hex;
  readonly expectedCodeHash: Hex;
}

type Ranges = readonly { readonly start: number; readonly length: number }[];

interface Expectation {
  readonly contract: SuiteContract;
  readonly address: Address;
  readonly immutables: Ranges;
  readonly codeHash: Hex;
}

/**
 * Hash of the runtime code of each contract of the suite with its immutables zeroed: equal on every chain, although
 * the immutables (USDC, feed, domain separator) are not.
 */
export const expectedCodeHashes: Readonly<Record<keyof SuiteAddresses, Hex>> = {
  account: keccak256(yieldVaultAccountDeployedBytecode),
  validator: keccak256(intentValidatorDeployedBytecode),
  paymaster: keccak256(usdcPaymasterDeployedBytecode),
  executor: keccak256(yieldExecutorDeployedBytecode),
};

const immutables: Readonly<Record<keyof SuiteAddresses, Ranges>> = {
  account: yieldVaultAccountImmutableReferences,
  validator: intentValidatorImmutableReferences,
  paymaster: usdcPaymasterImmutableReferences,
  executor: yieldExecutorImmutableReferences,
};

/**
 * Compare the code of the entry point and the suite on a chain with what this package deploys.
 *
 * Immutables of the suite are not compared: the CREATE2 address commits to creation code and arguments.
 *
 * @returns One entry per contract, in the order of deployment.
 * @throws {UnsupportedChainError} when the chain is neither Ethereum nor Base.
 * @example
 * const missing = (await inspectSuite(publicClient, suite)).filter(({ status }) => status === 'missing');
 */
export async function inspectSuite(
  publicClient: Pick<PublicClient, 'getChainId' | 'getCode'>,
  addresses: SuiteAddresses,
): Promise<readonly ContractInspection[]> {
  const chainId = await publicClient.getChainId();
  if (chainId !== 1 && chainId !== 8453) throw new UnsupportedChainError(chainId);
  const own = (contract: keyof SuiteAddresses): Expectation => ({
    contract,
    address: addresses[contract],
    immutables: immutables[contract],
    codeHash: expectedCodeHashes[contract],
  });
  const entryPoint: Expectation = {
    contract: 'entryPoint',
    address: canonical.entryPointV08,
    immutables: [],
    codeHash: canonical.entryPointV08CodeHash[chainId],
  };
  return Promise.all(
    [entryPoint, own('account'), own('validator'), own('paymaster'), own('executor')].map((expected) =>
      inspect(publicClient, expected),
    ),
  );
}

async function inspect(
  publicClient: Pick<PublicClient, 'getCode'>,
  expected: Expectation,
): Promise<ContractInspection> {
  const { contract, address, codeHash: expectedCodeHash } = expected;
  const code = await publicClient.getCode({ address });
  if (!code) return { contract, address, status: 'missing', expectedCodeHash };
  const codeHash = keccak256(withoutImmutables(code, expected.immutables));
  return {
    contract,
    address,
    status: codeHash === expectedCodeHash ? 'ok' : 'mismatch',
    codeHash,
    expectedCodeHash,
  };
}

function withoutImmutables(code: Hex, ranges: Ranges): Uint8Array {
  const bytes = hexToBytes(code);
  for (const { start, length } of ranges) {
    if (start + length <= size(code)) bytes.fill(0, start, start + length);
  }
  return bytes;
}
