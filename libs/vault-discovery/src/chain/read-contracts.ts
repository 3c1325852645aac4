import { isMissingState, isOutOfGas } from '@yield-vault/chains';
import { canonical } from '@yield-vault/contracts';
import { findError, isViemError } from '@yield-vault/protocol';
import {
  type Abi,
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  multicall3Abi,
  type PublicClient,
  type StateOverride,
} from 'viem';
import pLimit from 'p-limit';

/** One read-only call. */
export interface Read {
  readonly target: Address;
  readonly callData: Hex;
}

/** Reads that travel in one call of Multicall3. */
export interface Batch {
  readonly reads: readonly Read[];
  /** Gas limit of the whole call. */
  readonly gas: number;
  /** Encoded on first use: thousands of reads at once would block the event loop. */
  callData?: Hex;
  /** Set after a node refused the batch: from then on its two halves are sent. */
  halves?: readonly Batch[];
}

/** Concurrent calls of Multicall3. */
export const concurrentBatches = 12;
// The default gas limit of an eth_call; some nodes refuse more.
const mostGasPerCall = 50_000_000;
const gasOfMulticall = 1_000_000;
// The usual maximum of one read; one read of a batch may need the whole limit.
const usualReadGas = 250_000;
/** Gas that one read may burn. */
export const readGasLimit = 10_000_000;
const readsPerCall = 200;

/** Group reads into calls of Multicall3, which can run at many blocks. */
export function toBatches(reads: readonly Read[], batchSize = readsPerCall): Batch[] {
  const batches: Batch[] = [];
  for (let start = 0; start < reads.length; start += batchSize)
    batches.push(toBatch(reads.slice(start, start + batchSize), mostGasPerCall));
  return batches;
}

function toBatch(reads: readonly Read[], mostGas: number): Batch {
  const gasOfOthers = (reads.length - 1) * usualReadGas;
  const gas = Math.min(mostGas, gasOfMulticall + readGasLimit + gasOfOthers);
  return { reads, gas };
}

function encode(reads: readonly Read[]): Hex {
  const calls = reads.map((read) => ({ ...read, allowFailure: true }));
  return encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [calls] });
}

/**
 * Run reads at one block through Multicall3. If the node refuses a batch, it is halved, down to single reads, because
 * one expensive read fails the whole batch. The batch keeps its halves, so it is refused once and not at every block.
 *
 * @param blockNumber - the head by default
 * @param stateOverride - holds during the reads
 * @returns the data of each read, undefined where it reverted
 * @throws what the client throws when the node is down or lacks the state of the block
 */
export async function readBatches(
  rpc: PublicClient,
  batches: readonly Batch[],
  blockNumber?: bigint,
  stateOverride?: StateOverride,
): Promise<(Hex | undefined)[]> {
  const limit = pLimit(concurrentBatches);

  const readAll = async (parts: readonly Batch[]): Promise<(Hex | undefined)[]> =>
    (await Promise.all(parts.map(readPart))).flat();

  const readPart = async (batch: Batch): Promise<(Hex | undefined)[]> => {
    if (batch.halves) return readAll(batch.halves);
    try {
      const responses = await limit(() => readWhole(rpc, batch, blockNumber, stateOverride));
      return await withStarved(batch, responses);
    } catch (error) {
      if (!isRefusedExecution(error)) {
        // The other batches are pointless now.
        limit.clearQueue();
        throw error;
      }
    }
    if (batch.reads.length === 1) return [undefined];
    batch.halves = halvesOf(batch);
    return readAll(batch.halves);
  };

  /** A read fails without data when another one left it too little gas: such reads are repeated alone. */
  const withStarved = async (
    batch: Batch,
    responses: readonly CallResult[],
  ): Promise<(Hex | undefined)[]> => {
    const results = responses.map(({ success, returnData }) => (success ? returnData : undefined));
    const silent = responses.flatMap((response, index) => (isSilentFailure(response) ? [index] : []));
    if (silent.length === 0 || silent.length === responses.length) return results;
    const reads = silent.map((index) => batch.reads[index]!);
    const again = await readPart(toBatch(reads, mostGasPerCall));
    if (again.some((response) => response !== undefined)) batch.halves = halvesOf(batch);
    silent.forEach((index, position) => (results[index] = again[position]));
    return results;
  };

  return readAll(batches);
}

interface CallResult {
  readonly success: boolean;
  readonly returnData: Hex;
}

const isSilentFailure = ({ success, returnData }: CallResult): boolean => !success && returnData === '0x';

async function readWhole(
  rpc: PublicClient,
  batch: Batch,
  blockNumber: bigint | undefined,
  stateOverride: StateOverride | undefined,
): Promise<readonly CallResult[]> {
  const { reads } = batch;
  const data = (batch.callData ??= encode(reads));
  const call = { to: canonical.multicall3, data, gas: BigInt(batch.gas), blockNumber, stateOverride };
  const { data: response } = await rpc.call(call);
  // Multicall3 is not deployed at this block.
  if (response === undefined) return reads.map(() => ({ success: false, returnData: '0x' }));
  return decodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', data: response });
}

/** Halves get half of the gas, so that halving isolates the read that burns it. */
function halvesOf({ reads, gas }: Batch): Batch[] {
  const middle = Math.ceil(reads.length / 2);
  const mostGas = Math.min(gas, Math.max(Math.ceil(gas / 2), gasOfMulticall + readGasLimit));
  return [reads.slice(0, middle), reads.slice(middle)].map((half) => toBatch(half, mostGas));
}

/** Single reads may fail, so a whole batch only fails by its gas or the size of its response. */
function isRefusedExecution(error: unknown): boolean {
  if (!isViemError(error) || isMissingState(error)) return false;
  return (
    findError(error, 'ExecutionRevertedError') !== undefined ||
    isOutOfGas(error) ||
    /revert|gas (limit|allowance|cost)|too large|size exceeded|status 413/i.test(error.message)
  );
}

/** Decode the result of a read. Contracts may return anything: undefined without a usable response. */
export function decodeResult(abi: Abi, functionName: string, data: Hex | undefined): unknown {
  try {
    return data === undefined ? undefined : decodeFunctionResult({ abi, functionName, data });
  } catch {
    return undefined;
  }
}

const wordLength = 66;

/** Exactly one word: anything else is not an amount. */
export const toAmount = (data: Hex | undefined): bigint | undefined =>
  data?.length === wordLength ? BigInt(data) : undefined;
