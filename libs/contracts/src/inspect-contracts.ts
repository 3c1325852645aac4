import { type Address, type Hex, type PublicClient, hexToBytes, keccak256, size } from 'viem';
import { type ContractAddresses, entryPointDeployment } from './address-book.js';
import type { ContractName } from './deploy-contracts.js';
import { chainFacts } from './chains/chains.js';
import { intentValidatorDeployedBytecode } from './generated/IntentValidator.js';
import {
  usdcPaymasterDeployedBytecode,
  usdcPaymasterImmutableReferences,
} from './generated/UsdcPaymaster.js';
import {
  yieldExecutorDeployedBytecode,
  yieldExecutorImmutableReferences,
} from './generated/YieldExecutor.js';
import { yieldRouterDeployedBytecode } from './generated/YieldRouter.js';
import {
  yieldVaultAccountDeployedBytecode,
  yieldVaultAccountImmutableReferences,
} from './generated/YieldVaultAccount.js';

/** Comparison of a contract on a chain with the code of this package. */
export interface ContractInspection {
  readonly contract: ContractName;
  readonly address: Address;
  readonly status: 'ok' | 'missing' | 'mismatch';
  /** Hash of its code with zeroed immutables; absent without code. */
  readonly codeHash?: Hex;
  /** Absent for a third-party paymaster: it needs only some code. */
  readonly expectedCodeHash?: Hex;
}

/** Options of {@link inspectContracts}. */
export interface InspectContractsOptions {
  /** `own` by default; `other` for a third-party paymaster. */
  readonly paymaster?: 'own' | 'other';
}

type Ranges = readonly { readonly start: number; readonly length: number }[];

interface Expectation {
  readonly contract: ContractName;
  readonly address: Address;
  readonly immutables: Ranges;
  readonly codeHash?: Hex;
}

/** Hash of the runtime code of each contract with zeroed immutables: equal on every chain. */
export const expectedCodeHashes: Readonly<Record<keyof ContractAddresses, Hex>> = {
  account: keccak256(yieldVaultAccountDeployedBytecode),
  validator: keccak256(intentValidatorDeployedBytecode),
  paymaster: keccak256(usdcPaymasterDeployedBytecode),
  executor: keccak256(yieldExecutorDeployedBytecode),
  router: keccak256(yieldRouterDeployedBytecode),
};

const immutables: Readonly<Record<keyof ContractAddresses, Ranges>> = {
  account: yieldVaultAccountImmutableReferences,
  validator: [],
  paymaster: usdcPaymasterImmutableReferences,
  executor: yieldExecutorImmutableReferences,
  router: [],
};

/**
 * Compare the code of the entry point and our contracts on a chain with the code of this package.
 *
 * Immutables of our contracts are not compared: the CREATE2 address commits to creation code and arguments.
 *
 * @returns One entry per contract, in the order of deployment.
 * @throws {UnsupportedChainError} when the chain is unknown.
 * @example
 * const missing = (await inspectContracts(publicClient, localContracts(8453))).filter(({ status }) => status === 'missing');
 */
export async function inspectContracts(
  publicClient: Pick<PublicClient, 'getChainId' | 'getCode'>,
  addresses: ContractAddresses,
  { paymaster = 'own' }: InspectContractsOptions = {},
): Promise<readonly ContractInspection[]> {
  const { entryPointCodeHash } = chainFacts(await publicClient.getChainId());
  const own = (contract: keyof ContractAddresses): Expectation => ({
    contract,
    address: addresses[contract],
    immutables: immutables[contract],
    codeHash: expectedCodeHashes[contract],
  });
  const entryPoint: Expectation = {
    contract: 'entryPoint',
    address: entryPointDeployment.address,
    immutables: [],
    codeHash: entryPointCodeHash,
  };
  const others: Expectation = { contract: 'paymaster', address: addresses.paymaster, immutables: [] };
  return Promise.all(
    [
      entryPoint,
      own('validator'),
      own('executor'),
      own('account'),
      own('router'),
      paymaster === 'own' ? own('paymaster') : others,
    ].map((expected) => inspect(publicClient, expected)),
  );
}

async function inspect(
  publicClient: Pick<PublicClient, 'getCode'>,
  expected: Expectation,
): Promise<ContractInspection> {
  const { contract, address, codeHash: expectedCodeHash } = expected;
  const base = { contract, address, expectedCodeHash };
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
