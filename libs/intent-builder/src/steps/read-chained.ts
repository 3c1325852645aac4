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
import type { Reading } from '../types.js';

/** A view of a contract. */
export interface ChainedRead {
  readonly address: Address;
  readonly abi: Abi;
  readonly functionName: string;
  readonly args?: readonly unknown[];
  /** Its last argument is the answer of an earlier read, or a part of that. */
  readonly takes?: { readonly read: string; readonly part?: Fraction };
}

/** Reads by names of the caller's, those that are not needed left out; what another one takes comes before it. */
export type ChainedReads = Readonly<Record<string, ChainedRead | undefined>>;

/** What reads answered, by their names. */
export type ReadingsOf<Reads> = { readonly [Name in keyof Reads]: ReadingOf<Reads[Name]> };
type ReadingOf<Read> = Read extends {
  readonly abi: infer Contract extends Abi;
  readonly functionName: infer FunctionName;
}
  ? FunctionName extends ContractFunctionName<Contract, 'pure' | 'view'>
    ? Reading<ContractFunctionReturnType<Contract, 'pure' | 'view', FunctionName>>
    : never
  : undefined;

// Views of the field stay far below it. One that burns everything it gets leaves the others theirs.
const readGasLimit = 3_000_000n;
const gasOfTheRest = 2_000_000n;
const retryAfterSeconds = 30;
const all: Fraction = { numerator: 1n, denominator: 1n };

/** Gas of one call with so many reads, each of which may burn all of its limit. */
export const chainedReadsGas = (reads: number): bigint => readGasLimit * BigInt(reads) + gasOfTheRest;

/**
 * Read what may depend on each other with one call. A read that fails, or takes the answer of one that did, has a
 * reason instead of a value; it takes no other with it.
 *
 * @throws {UpstreamUnavailableError} when the node does not answer
 */
export async function readChained<const Reads extends ChainedReads>(
  { key, rpc }: Pick<ActiveChain, 'key' | 'rpc'>,
  reads: Reads,
): Promise<ReadingsOf<Reads>> {
  const asked = Object.entries(reads).filter(
    (entry): entry is [string, ChainedRead] => entry[1] !== undefined,
  );
  const names = asked.map(([name]) => name);
  const call = { abi: chainedReadsAbi, functionName: 'read' } as const;
  const args = [
    asked.map(([, read]) => ({
      target: read.address,
      gasLimit: readGasLimit,
      callData: encodeFunctionData({ abi: read.abi, functionName: read.functionName, args: read.args ?? [] }),
      // Counted from 1: 0 stands for none.
      source: BigInt(read.takes ? names.indexOf(read.takes.read) + 1 : 0),
      ...(read.takes?.part ?? all),
    })),
  ] as const;
  const gas = chainedReadsGas(names.length);
  const data = encodeFunctionData({ ...call, args });
  const answers = await rpc
    .call({ code: chainedReadsBytecode, data, gas })
    .then((answer) => decodeFunctionResult({ ...call, data: answer.data ?? '0x' }))
    .catch((error: unknown) => {
      // No contract can make this call fail: a node that refuses it, or answers something else, is of no use.
      throw asUpstreamError(error, `rpc:${key}`) ?? unusableNode(key, error);
    });
  if (answers.length !== names.length) throw unusableNode(key);
  return Object.fromEntries(
    asked.map(([name, read], place) => [name, toReading(read, answers[place]!)]),
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
    // No contract, or none of this kind.
    return { revertReason: 'NO_REASON' };
  }
}
