import { isMissingState, isOutOfGas } from '@yield-vault/chains';
import { canonical } from '@yield-vault/contracts';
import pLimit from 'p-limit';
import {
  BaseError,
  decodeFunctionResult,
  encodeFunctionData,
  ExecutionRevertedError,
  multicall3Abi,
  type Address,
  type Hex,
  type PublicClient,
} from 'viem';

export { isMissingState };

/** One read-only call. */
export interface Read {
  readonly target: Address;
  readonly callData: Hex;
}

/** Reads that travel in one call of Multicall3. */
export interface Batch {
  readonly reads: readonly Read[];
  /** Gas that the whole call may burn, and gas that any one read may. */
  readonly gas: number;
  readonly readGasLimit: number;
  /** Encoded when it is first sent: thousands of reads at once would hold the thread. */
  callData?: Hex;
  /** What a node refused as a whole is asked in two parts from then on. */
  halves?: readonly Batch[];
}

/** Calls of Multicall3 under way at the same time. */
export const concurrentBatches = 12;
// Nodes allow an eth_call this much by default, and some refuse more.
const mostGasPerCall = 50_000_000;
const gasOfMulticall = 1_000_000;
// What one read burns at most where nothing is wrong; one of a batch may need as much as the limit.
const usualReadGas = 250_000;
const defaultReadGasLimit = 10_000_000;

/**
 * Put reads together into calls of Multicall3, to be run at as many blocks as wanted.
 *
 * @param readGasLimit - gas that one read may burn
 */
export function toBatches(
  reads: readonly Read[],
  batchSize: number,
  readGasLimit: number = defaultReadGasLimit,
): Batch[] {
  const batches: Batch[] = [];
  for (let start = 0; start < reads.length; start += batchSize)
    batches.push(toBatch(reads.slice(start, start + batchSize), readGasLimit, mostGasPerCall));
  return batches;
}

function toBatch(reads: readonly Read[], readGasLimit: number, mostGas: number): Batch {
  const gasOfOthers = (reads.length - 1) * Math.min(usualReadGas, readGasLimit);
  const gas = Math.min(mostGas, gasOfMulticall + readGasLimit + gasOfOthers);
  return { reads, gas, readGasLimit };
}

function encode(reads: readonly Read[]): Hex {
  const calls = reads.map((read) => ({ ...read, allowFailure: true }));
  return encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [calls] });
}

/**
 * Run reads at one block through Multicall3. A batch that the node refuses to run is halved, down to single
 * reads, because one expensive call takes the whole batch with it; the batch remembers that, so that it is refused
 * once and not at every block.
 *
 * @param blockNumber - the head when it is left out
 * @returns what each read returned, undefined where it reverted
 * @throws what the client throws when the node is down or lacks the state of the block
 */
export async function readBatches(
  rpc: PublicClient,
  batches: readonly Batch[],
  blockNumber?: bigint,
): Promise<(Hex | undefined)[]> {
  const limit = pLimit(concurrentBatches);

  const readAll = async (parts: readonly Batch[]): Promise<(Hex | undefined)[]> =>
    (await Promise.all(parts.map(readPart))).flat();

  const readPart = async (batch: Batch): Promise<(Hex | undefined)[]> => {
    if (batch.halves) return readAll(batch.halves);
    try {
      const answers = await limit(() => readWhole(rpc, batch, blockNumber));
      return await withStarved(batch, answers);
    } catch (error) {
      if (!isRefusedExecution(error)) {
        // The others need not be asked any more.
        limit.clearQueue();
        throw error;
      }
    }
    if (batch.reads.length === 1) return [undefined];
    batch.halves = halvesOf(batch);
    return readAll(batch.halves);
  };

  /** A read fails without a word when another one left it too little gas: those are asked again by themselves. */
  const withStarved = async (batch: Batch, answers: readonly Answer[]): Promise<(Hex | undefined)[]> => {
    const results = answers.map(({ success, returnData }) => (success ? returnData : undefined));
    const silent = answers.flatMap((answer, index) => (isSilentFailure(answer) ? [index] : []));
    if (silent.length === 0 || silent.length === answers.length) return results;
    const { readGasLimit } = batch;
    const reads = silent.map((index) => batch.reads[index]!);
    const again = await readPart(toBatch(reads, readGasLimit, mostGasPerCall));
    if (again.some((answer) => answer !== undefined)) batch.halves = halvesOf(batch);
    silent.forEach((index, position) => (results[index] = again[position]));
    return results;
  };

  return readAll(batches);
}

interface Answer {
  readonly success: boolean;
  readonly returnData: Hex;
}

const isSilentFailure = ({ success, returnData }: Answer): boolean => !success && returnData === '0x';

async function readWhole(
  rpc: PublicClient,
  batch: Batch,
  blockNumber: bigint | undefined,
): Promise<readonly Answer[]> {
  const { reads } = batch;
  const data = (batch.callData ??= encode(reads));
  const call = { to: canonical.multicall3, data, gas: BigInt(batch.gas), blockNumber };
  const { data: answer } = await rpc.call(call);
  // Before Multicall3 was deployed nothing could be read; the vaults are younger or read later.
  if (answer === undefined) return reads.map(() => ({ success: false, returnData: '0x' }));
  return decodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', data: answer });
}

/** Halves get half of the gas, so that what is left of a refused batch in the end is the read that burns it. */
function halvesOf({ reads, gas, readGasLimit }: Batch): Batch[] {
  const middle = Math.ceil(reads.length / 2);
  const mostGas = Math.min(gas, Math.max(Math.ceil(gas / 2), gasOfMulticall + readGasLimit));
  return [reads.slice(0, middle), reads.slice(middle)].map((half) => toBatch(half, readGasLimit, mostGas));
}

/** Reads may fail one by one, so the batch as a whole only fails by running out of gas or of answer size. */
function isRefusedExecution(error: unknown): boolean {
  if (!(error instanceof BaseError) || isMissingState(error)) return false;
  const reverted = error.walk((cause) => cause instanceof ExecutionRevertedError);
  return (
    reverted !== null ||
    isOutOfGas(error) ||
    /revert|gas (limit|allowance|cost)|too large|size exceeded|status 413/i.test(error.message)
  );
}
