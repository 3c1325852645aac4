import { type Address, type Hex, type PublicClient, hexToBytes, keccak256, size } from 'viem';
import {
  type SuiteAddresses,
  type SuiteEntryPointVersion,
  canonical,
  entryPointDeployment,
} from './address-book.js';
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
  usdcPaymasterV07DeployedBytecode,
  usdcPaymasterV07ImmutableReferences,
} from './generated/UsdcPaymasterV07.js';
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
  /** Absent for a paymaster of others: that one only has to be there. */
  readonly expectedCodeHash?: Hex;
}

/** What {@link inspectSuite} is to expect. */
export interface InspectSuiteOptions {
  /** `0.8` by default. */
  readonly entryPointVersion?: SuiteEntryPointVersion;
  /** `own` by default; `other` when the paymaster is not one of the suite. */
  readonly paymaster?: 'own' | 'other';
}

type Ranges = readonly { readonly start: number; readonly length: number }[];

interface Expectation {
  readonly contract: SuiteContract;
  readonly address: Address;
  readonly immutables: Ranges;
  readonly codeHash?: Hex;
}

type InspectedCode = keyof SuiteAddresses | 'paymasterV07';

/**
 * Hash of the runtime code of each contract of the suite with its immutables zeroed: equal on every chain, although
 * the immutables (USDC, feed, domain separator) are not.
 */
export const expectedCodeHashes: Readonly<Record<InspectedCode, Hex>> = {
  account: keccak256(yieldVaultAccountDeployedBytecode),
  validator: keccak256(intentValidatorDeployedBytecode),
  paymaster: keccak256(usdcPaymasterDeployedBytecode),
  paymasterV07: keccak256(usdcPaymasterV07DeployedBytecode),
  executor: keccak256(yieldExecutorDeployedBytecode),
};

const immutables: Readonly<Record<InspectedCode, Ranges>> = {
  account: yieldVaultAccountImmutableReferences,
  validator: intentValidatorImmutableReferences,
  paymaster: usdcPaymasterImmutableReferences,
  paymasterV07: usdcPaymasterV07ImmutableReferences,
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
  { entryPointVersion = '0.8', paymaster = 'own' }: InspectSuiteOptions = {},
): Promise<readonly ContractInspection[]> {
  const chainId = await publicClient.getChainId();
  if (chainId !== 1 && chainId !== 8453) throw new UnsupportedChainError(chainId);
  const own = (contract: keyof SuiteAddresses, code: InspectedCode = contract): Expectation => ({
    contract,
    address: addresses[contract],
    immutables: immutables[code],
    codeHash: expectedCodeHashes[code],
  });
  const entryPoint: Expectation = {
    contract: 'entryPoint',
    address: entryPointDeployment(entryPointVersion).address,
    immutables: [],
    codeHash:
      entryPointVersion === '0.7'
        ? canonical.entryPointV07CodeHash
        : canonical.entryPointV08CodeHash[chainId],
  };
  const others: Expectation = { contract: 'paymaster', address: addresses.paymaster, immutables: [] };
  const ownPaymaster = own('paymaster', entryPointVersion === '0.7' ? 'paymasterV07' : 'paymaster');
  return Promise.all(
    [
      entryPoint,
      own('account'),
      own('validator'),
      paymaster === 'own' ? ownPaymaster : others,
      own('executor'),
    ].map((expected) => inspect(publicClient, expected)),
  );
}

async function inspect(
  publicClient: Pick<PublicClient, 'getCode'>,
  expected: Expectation,
): Promise<ContractInspection> {
  const { contract, address, codeHash: expectedCodeHash } = expected;
  const base = { contract, address, ...(expectedCodeHash && { expectedCodeHash }) };
  const code = await publicClient.getCode({ address });
  if (!code) return { ...base, status: 'missing' };
  const codeHash = keccak256(withoutImmutables(code, expected.immutables));
  const isAsExpected = expectedCodeHash === undefined || codeHash === expectedCodeHash;
  return { ...base, status: isAsExpected ? 'ok' : 'mismatch', codeHash };
}

function withoutImmutables(code: Hex, ranges: Ranges): Uint8Array {
  const bytes = hexToBytes(code);
  for (const { start, length } of ranges) {
    if (start + length <= size(code)) bytes.fill(0, start, start + length);
  }
  return bytes;
}
