import { setTimeout as sleep } from 'node:timers/promises';
import { asReadFailure } from '@yield-vault/chains';
import { entryPointV08Abi } from '@yield-vault/contracts';
import { maxBigInt, sameHex, type UpstreamUnavailableError, type UserOperation } from '@yield-vault/protocol';
import { splitNonce } from '@yield-vault/smart-account';
import { getAbiItem, type Address, type Hex } from 'viem';
import type { ExecutionChain } from '../ports.js';

const userOperationEvent = getAbiItem({ abi: entryPointV08Abi, name: 'UserOperationEvent' });
// Operations are submitted a few blocks before the first call waits.
const firstBlocks = 16n;
const keptBlocks = 256n;
// Logs may come later than their block, and a block may be replaced.
const rereadBlocks = 2n;
// The pause grows with the time since the last block.
const pausesPerBlock = 8;
const [shortestPauseMs, longestPauseMs] = [10, 1_000];

/** An operation that a call waits for. */
export interface AwaitedOperation {
  readonly operation: Pick<UserOperation, 'sender' | 'nonce'>;
  readonly userOpHash: Hex;
  /** No block up to this one includes it. */
  readonly after: bigint;
}

/** How a wait ended. */
export type Sighting =
  /** A block included the operation. The block may be replaced since. */
  | { readonly kind: 'included'; readonly txHash: Hex }
  /** Its nonce is used, or it was submitted too long ago: only a read of the chain can say more. */
  | { readonly kind: 'unclear' }
  /** Nothing was seen in time; `failure` is why the node did not respond to the last request. */
  | { readonly kind: 'unseen'; readonly failure: UpstreamUnavailableError | undefined };

/** Watches the entry point of a chain for every call that waits for an operation. */
export interface OperationWatch {
  wait(awaited: AwaitedOperation, timeoutMs: number, signal?: AbortSignal): Promise<Sighting>;
}

interface Waiter extends AwaitedOperation {
  readonly startedAt: number;
  readonly end: (sighting: Sighting) => void;
}

/** Make the watch of a chain: one reading of its blocks for all calls, and none while no call waits. */
export function createOperationWatch(
  { key, rpc, entryPoint }: ExecutionChain,
  // Logs that never come must not keep a call waiting.
  { nonceCheckMs = 4_000 } = {},
): OperationWatch {
  const waiters = new Set<Waiter>();
  /** By sender and nonce. */
  const uses = new Map<string, { userOpHash: Hex; txHash: Hex; blockNumber: bigint }>();
  /** The blocks that were read. */
  let range: { oldest: bigint; newest: bigint } | undefined;
  let failure: UpstreamUnavailableError | undefined;
  let isRunning = false;

  function offer({ operation, userOpHash, after, end }: Waiter): void {
    const use = uses.get(keyOf(operation.sender, operation.nonce));
    if (use && sameHex(use.userOpHash, userOpHash)) end({ kind: 'included', txHash: use.txHash });
    // The watch does not reach back to its submission.
    else if (use || (range && after + 1n < range.oldest)) end({ kind: 'unclear' });
  }

  /** @returns whether there was a new block */
  async function readBlocks(): Promise<boolean> {
    const head = await rpc.getBlockNumber({ cacheTime: 0 });
    // A node may lag behind another one at the same address.
    if (range && head <= range.newest) return false;
    // Too far behind, it starts again.
    const known = range && head - range.newest <= keptBlocks ? range : undefined;
    const fromBlock = maxBigInt(known ? known.newest + 1n - rereadBlocks : head + 1n - firstBlocks, 0n);
    const filter = { address: entryPoint, event: userOperationEvent, strict: true } as const;
    const logs = await rpc.getLogs({ ...filter, fromBlock, toBlock: head });
    const oldest = maxBigInt(known?.oldest ?? fromBlock, head + 1n - keptBlocks);
    for (const [key, { blockNumber }] of uses)
      if (blockNumber < oldest || blockNumber >= fromBlock) uses.delete(key);
    for (const { args, transactionHash, blockNumber } of logs) {
      const { sender, nonce, userOpHash } = args;
      uses.set(keyOf(sender, nonce), { userOpHash, txHash: transactionHash, blockNumber });
    }
    range = { oldest, newest: head };
    for (const waiter of waiters) offer(waiter);
    return true;
  }

  async function checkNonces(): Promise<void> {
    const old = [...waiters].filter(({ startedAt }) => performance.now() - startedAt >= nonceCheckMs);
    if (old.length === 0) return;
    const next = await rpc.multicall({
      contracts: old.map(({ operation: { sender, nonce } }) => ({
        address: entryPoint,
        abi: entryPointV08Abi,
        functionName: 'getNonce' as const,
        args: [sender, splitNonce(nonce).key] as const,
      })),
      allowFailure: false,
    });
    for (const [index, { operation, end }] of old.entries())
      if (next[index]! > operation.nonce) end({ kind: 'unclear' });
  }

  async function run(): Promise<void> {
    let [newestBlockMs, checkedMs] = [performance.now(), performance.now()];
    while (waiters.size > 0) {
      try {
        const now = performance.now();
        if (await readBlocks()) newestBlockMs = now;
        if (now - checkedMs >= nonceCheckMs) {
          checkedMs = now;
          await checkNonces();
        }
        failure = undefined;
      } catch (error) {
        failure = asReadFailure(error, `rpc:${key}`);
      }
      const age = performance.now() - newestBlockMs;
      await sleep(Math.min(Math.max(age / pausesPerBlock, shortestPauseMs), longestPauseMs));
    }
    isRunning = false;
    range = undefined;
    failure = undefined;
    uses.clear();
  }

  return {
    wait: (awaited, timeoutMs, signal) =>
      new Promise((resolve) => {
        const end = (sighting: Sighting) => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', giveUp);
          waiters.delete(waiter);
          resolve(sighting);
        };
        const giveUp = () => end({ kind: 'unseen', failure });
        const timer = setTimeout(giveUp, timeoutMs);
        const waiter = { ...awaited, startedAt: performance.now(), end };
        waiters.add(waiter);
        signal?.addEventListener('abort', giveUp);
        if (signal?.aborted) giveUp();
        else offer(waiter);
        if (isRunning || waiters.size === 0) return;
        isRunning = true;
        void run();
      }),
  };
}

const keyOf = (sender: Address, nonce: bigint) => `${sender.toLowerCase()} ${nonce}`;
