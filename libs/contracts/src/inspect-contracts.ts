import { type Address, type Hex, type PublicClient, hexToBytes, keccak256, size } from 'viem';
import { type ContractAddresses, entryPointDeployment } from './address-book.js';
import type { ContractName } from './deploy-contracts.js';
import { chainFacts } from './chains/chains.js';
import {
  usdcPaymasterDeployedBytecode,
  usdcPaymasterImmutableReferences,
} from './generated/UsdcPaymaster.js';

/** Comparison of a contract on a chain with the code of this package. */
export interface ContractInspection {
  readonly contract: ContractName;
  readonly address: Address;
  readonly status: 'ok' | 'missing' | 'mismatch';
  /** Hash of its code, of our paymaster with zeroed immutables; absent without code. */
  readonly codeHash?: Hex;
  /** Absent for a third-party paymaster: it needs only some code. */
  readonly expectedCodeHash?: Hex;
}

/** Options of {@link inspectContracts}. */
export interface InspectContractsOptions {
  /** `own` by default; `other` for a third-party paymaster. */
  readonly paymaster?: 'own' | 'other';
}

/**
 * keccak256 of the runtime code of each contract, equal on every chain. Our paymaster has immutables that differ by chain:
 * its hash is that of its code with zeroed immutables. Literals: a test deploys the contracts and compares.
 */
export const expectedCodeHashes: Readonly<Record<keyof ContractAddresses, Hex>> = {
  account: '0x7079654f37923d6fdacb8fcc63f6679a40e68c05f898d4cb8e47d00d7784c37d',
  validator: '0x11e29afa0d5cbd845e13d19df5d93e2247ca2a4e9db135d920a5f21d7c7b1d24',
  executor: '0x2419659cc4c1d0066b9b5e9d1bc4c31453a8f3e7bd4248e2d9687d959c93021b',
  router: '0x967e9f3e4206253c13eb927741a35d5b2456e3d9da4f40c3a17b6b25fb4ac1a8',
  paymaster: keccak256(usdcPaymasterDeployedBytecode),
};

/**
 * Compare the code of the entry point and our contracts on a chain with the code of this package.
 *
 * The immutables of our paymaster are not compared: its CREATE2 address commits to them.
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
  const inspect = async (
    contract: ContractName,
    address: Address,
    expectedCodeHash?: Hex,
  ): Promise<ContractInspection> => {
    const base = { contract, address, expectedCodeHash };
    const code = await publicClient.getCode({ address });
    if (!code) return { ...base, status: 'missing' };
    const isOwnPaymaster = contract === 'paymaster' && paymaster === 'own';
    const codeHash = keccak256(isOwnPaymaster ? withoutImmutables(code) : code);
    const isAsExpected = expectedCodeHash === undefined || codeHash === expectedCodeHash;
    return { ...base, status: isAsExpected ? 'ok' : 'mismatch', codeHash };
  };
  const ours = (contract: keyof ContractAddresses) =>
    inspect(contract, addresses[contract], expectedCodeHashes[contract]);
  return Promise.all([
    inspect('entryPoint', entryPointDeployment.address, entryPointCodeHash),
    ours('validator'),
    ours('executor'),
    ours('account'),
    ours('router'),
    paymaster === 'own' ? ours('paymaster') : inspect('paymaster', addresses.paymaster),
  ]);
}

function withoutImmutables(code: Hex): Uint8Array {
  const bytes = hexToBytes(code);
  for (const { start, length } of usdcPaymasterImmutableReferences) {
    if (start + length <= size(code)) bytes.fill(0, start, start + length);
  }
  return bytes;
}
