import { asUpstreamError, type ActiveChain } from '@yield-vault/chains';
import { chainedReadsAbi, chainedReadsBytecode, decodeRevertReason } from '@yield-vault/contracts';
import { UpstreamUnavailableError, type Fraction } from '@yield-vault/protocol';
import {
  decodeFunctionResult,
  encodeFunctionData,
  type Abi,
  type Address,
  type ContractFunctionName,
  type ContractFunctionReturnType,
  type Hex,
} from 'viem';
import type { Reading } from './types.js';

/** A view of a contract. */
export interface ChainedRead {
  readonly address: Address;
  readonly abi: Abi;
  readonly functionName: string;
  readonly args?: readonly unknown[];
  /** Replaces the last argument by the result of an earlier read, or by a part of that result. */
  readonly takes?: { readonly read: string; readonly part?: Fraction };
}

/** Reads by name; `undefined` leaves one out. A read comes after the one that it takes. */
export type ChainedReads = Readonly<Record<string, ChainedRead | undefined>>;

/** Results of reads, by name. */
export type ReadingsOf<Reads> = { readonly [Name in keyof Reads]: ReadingOf<Reads[Name]> };
type ReadingOf<Read> = Read extends {
  readonly abi: infer Contract extends Abi;
  readonly functionName: infer FunctionName;
}
  ? FunctionName extends ContractFunctionName<Contract, 'pure' | 'view'>
    ? Reading<ContractFunctionReturnType<Contract, 'pure' | 'view', FunctionName>>
    : never
  : undefined;

// Vault views use far less. A view that burns all its gas leaves the others theirs.
const readGasLimit = 3_000_000n;
const baseGas = 2_000_000n;
const retryAfterSeconds = 30;
const all: Fraction = { numerator: 1n, denominator: 1n };
const readsOfRebalance = 14;

/** Gas of one call with so many reads, each of which may burn all of its limit. */
export const chainedReadsGas = (reads: number): bigint => readGasLimit * BigInt(reads) + baseGas;

/** Gas of the largest `eth_call` of prepare: the reads of a rebalance. The node must allow it. */
export const largestCallGas = chainedReadsGas(readsOfRebalance);

/**
 * Make several reads, which may depend on each other, in one call. A read that fails, or takes the result of a failed
 * one, has a reason instead of a value. It does not affect other reads.
 *
 * @throws {UpstreamUnavailableError} when the node does not respond
 */
export async function readChained<const Reads extends ChainedReads>(
  { key, rpc }: Pick<ActiveChain, 'key' | 'rpc'>,
  reads: Reads,
): Promise<ReadingsOf<Reads>> {
  const given = Object.entries(reads).filter(
    (entry): entry is [string, ChainedRead] => entry[1] !== undefined,
  );
  const names = given.map(([name]) => name);
  const call = { abi: chainedReadsAbi, functionName: 'read' } as const;
  const args = [
    given.map(([, read]) => ({
      target: read.address,
      gasLimit: readGasLimit,
      callData: encodeFunctionData({ abi: read.abi, functionName: read.functionName, args: read.args ?? [] }),
      // Counted from 1; 0 means none.
      source: BigInt(read.takes ? names.indexOf(read.takes.read) + 1 : 0),
      ...(read.takes?.part ?? all),
    })),
  ] as const;
  const gas = chainedReadsGas(names.length);
  const data = encodeFunctionData({ ...call, args });
  const results = await rpc
    .call({ code: chainedReadsBytecode, data, gas })
    .then((response) => decodeFunctionResult({ ...call, data: response.data ?? '0x' }))
    .catch((error: unknown) => {
      // No contract can make this call fail, so the node itself is unusable.
      throw asUpstreamError(error, `rpc:${key}`) ?? unusableNode(key, error);
    });
  if (results.length !== names.length) throw unusableNode(key);
  return Object.fromEntries(
    given.map(([name, read], place) => [name, toReading(read, results[place]!)]),
  ) as ReadingsOf<Reads>;
}

function unusableNode(key: string, cause?: unknown): UpstreamUnavailableError {
  return new UpstreamUnavailableError({
    detail: `rpc:${key}: the node does not run the one call that reads everything.`,
    details: { dependency: `rpc:${key}` },
    retryAfterSeconds,
    cause,
  });
}

function toReading(
  { abi, functionName }: ChainedRead,
  { success, returned }: { readonly success: boolean; readonly returned: Hex },
): Reading<unknown> {
  if (!success) return { revertReason: decodeRevertReason(returned) };
  try {
    return { value: decodeFunctionResult({ abi, functionName, data: returned }) };
  } catch {
    // No contract, or one of another kind.
    return { revertReason: 'NO_REASON' };
  }
}
