import { canonical } from '@yield-vault/contracts';
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

/** One read-only call. */
export interface Read {
  readonly target: Address;
  readonly callData: Hex;
}

/** Reads that travel in one call of Multicall3. */
export interface Batch {
  readonly reads: readonly Read[];
  readonly callData: Hex;
}

/** Encode reads as calls of Multicall3, to be run at as many blocks as wanted. */
export function toBatches(reads: readonly Read[], batchSize: number): Batch[] {
  const batches: Batch[] = [];
  for (let start = 0; start < reads.length; start += batchSize)
    batches.push(toBatch(reads.slice(start, start + batchSize)));
  return batches;
}

function toBatch(reads: readonly Read[]): Batch {
  const calls = reads.map((read) => ({ ...read, allowFailure: true }));
  const callData = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [calls] });
  return { reads, callData };
}

/**
 * Run reads at one block through Multicall3. A batch that the node refuses to run is halved, down to single
 * reads, because one expensive call takes the whole batch with it.
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
  return (await Promise.all(batches.map((batch) => readBatch(rpc, batch, blockNumber)))).flat();
}

async function readBatch(
  rpc: PublicClient,
  { reads, callData }: Batch,
  blockNumber: bigint | undefined,
): Promise<(Hex | undefined)[]> {
  try {
    const { data } = await rpc.call({ to: canonical.multicall3, data: callData, blockNumber });
    // Before Multicall3 was deployed nothing could be read; the vaults are younger or read later.
    if (data === undefined) return reads.map(() => undefined);
    const results = decodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', data });
    return results.map(({ success, returnData }) => (success ? returnData : undefined));
  } catch (error) {
    if (!(error instanceof BaseError) || !isRefusedExecution(error)) throw error;
    if (reads.length === 1) return [undefined];
    return readBatches(rpc, toBatches(reads, Math.ceil(reads.length / 2)), blockNumber);
  }
}

/** Reads may fail one by one, so the batch as a whole only fails by running out of gas or of answer size. */
function isRefusedExecution(error: BaseError): boolean {
  const reverted = error.walk((cause) => cause instanceof ExecutionRevertedError);
  return (
    reverted !== null ||
    /revert|out of gas|gas (limit|allowance)|too large|size exceeded/i.test(error.message)
  );
}

/** Tell whether a node lacks the state of an old block, which is no outage: history begins later there. */
export function isMissingState(error: unknown): boolean {
  return (
    error instanceof BaseError &&
    /missing trie node|metadata is not found|layer stale|state .*not available|historical state|pruned/i.test(
      `${error.message} ${error.details}`,
    )
  );
}
