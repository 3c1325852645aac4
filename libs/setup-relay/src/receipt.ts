import { isFinalBlock, revertDataOf, waitOrGiveUp, type Pending, type Waiting } from '@yield-vault/chains';
import { decodeRevertReason, quoteReason } from '@yield-vault/contracts';
import {
  findError,
  ForkNotRunningError,
  SetupTransactionRevertedError,
  type SetupTicket,
} from '@yield-vault/protocol';
import type { Hex, TransactionReceipt } from 'viem';
import { readFromWalletNode } from './errors.js';
import type { BlockEventsPort, ForksPort, SetupChain, SetupSubmission } from './ports.js';
import type { SetupTransaction } from './transaction.js';

/** A confirmed transaction. */
export interface Confirmed {
  readonly receipt: TransactionReceipt;
  /** The newest block at the last poll. */
  readonly head: bigint;
}

/**
 * Wait until a transaction is mined and confirmed. viem's `waitForTransactionReceipt` may return the receipt of a
 * replacement, and cannot renew the lease.
 *
 * @param requiredBlocks - the block that includes it and its successors, at least 1
 * @param options.forks - mines missing blocks; without it, the chain mines
 * @param options.events - announces blocks; without it, polls are timed
 * @param options.onPoll - called before each further poll
 * @param options.longestWaitMs - between two polls
 * @param options.refusal - why the node did not take the transaction, for the error
 * @throws {TransactionPendingError} when the deadline passes
 * @throws {UpstreamUnavailableError} when the node does not respond
 * @throws {ForkNotRunningError} when the managed fork does not respond, or was recreated
 */
export async function awaitReceipt(
  chain: SetupChain,
  hash: Hex,
  requiredBlocks: number,
  waiting: Waiting,
  options: {
    readonly forks: ForksPort | undefined;
    readonly events: BlockEventsPort | undefined;
    readonly onPoll: () => Promise<void>;
    readonly longestWaitMs: number;
    readonly refusal: string | undefined;
  },
): Promise<Confirmed> {
  let announced = 0n;
  for (let polls = 0; ; polls++) {
    let poll = await pollOnce(chain, hash, requiredBlocks);
    if (poll.receipt && poll.missing > 0 && options.forks) {
      await options.forks.confirm(chain.key, poll.missing);
      poll = await pollOnce(chain, hash, requiredBlocks);
    }
    if (poll.receipt && poll.missing <= 0) return { receipt: poll.receipt, head: poll.head };
    if (!poll.receipt && options.forks && !(await isKnownToNode(chain, hash))) throw recreated(chain);
    const next = poll.head + 1n;
    const end = await awaitBlock(chain, next > announced ? next : undefined, waiting, options);
    if (end === 'reached') announced = next;
    // Also where this node lags behind the follower: nothing announces when it catches up.
    if (end === 'unknown') await waitOrGiveUp(notConfirmed(hash, options.refusal), waiting, polls);
    await options.onPoll();
  }
}

/** @returns `unknown` when nobody announces the block, or waiting ended */
async function awaitBlock(
  { chainId }: SetupChain,
  block: bigint | undefined,
  { deadlineMs, now, signal }: Waiting,
  { events, longestWaitMs }: { readonly events: BlockEventsPort | undefined; readonly longestWaitMs: number },
): Promise<'reached' | 'late' | 'unknown'> {
  const timeoutMs = Math.min(longestWaitMs, deadlineMs - now());
  if (!events || block === undefined || timeoutMs <= 0) return 'unknown';
  const startMs = performance.now();
  if (await events.reach(chainId, block, timeoutMs, signal)) return 'reached';
  // A timer may end some milliseconds early.
  return performance.now() - startMs < 0.9 * timeoutMs ? 'unknown' : 'late';
}

/**
 * Describe what a timed-out call was waiting for.
 *
 * @param refusal - why the node did not take the transaction that it may have
 */
export function notConfirmed(txHash: Hex, refusal?: string): Pending {
  const detail = 'The setup transaction is not confirmed yet.';
  return { detail, details: { txHash, ...(refusal !== undefined && { reason: refusal }) } };
}

interface Poll {
  readonly receipt: TransactionReceipt | undefined;
  /** Missing blocks. */
  readonly missing: number;
  readonly head: bigint;
}

async function pollOnce(chain: SetupChain, hash: Hex, requiredBlocks: number): Promise<Poll> {
  const [receipt, head] = await Promise.all([
    readReceipt(chain, hash),
    readFromWalletNode(chain, chain.rpc.getBlockNumber({ cacheTime: 0 })),
  ]);
  const blocks = receipt ? Number(head - receipt.blockNumber + 1n) : 0;
  // After a revert the caller prepares again, so the revert must be final.
  const needed = receipt?.status === 'reverted' ? chain.confirmations + 1 : 0;
  return { receipt, missing: Math.max(requiredBlocks, needed) - blocks, head };
}

// The transaction is unknown, so the fork was recreated.
function recreated({ key }: SetupChain): ForkNotRunningError {
  return new ForkNotRunningError({
    detail: `The fork of ${key} was recreated while the transaction waited for its confirmations.`,
    details: { chain: key },
    retryAfterSeconds: 1,
  });
}

/** Whether the node knows a transaction, mined or waiting. */
export function isKnownToNode(chain: SetupChain, hash: Hex): Promise<boolean> {
  return readFromWalletNode(
    chain,
    chain.rpc.getTransaction({ hash }).then(
      () => true,
      (error: unknown) => {
        if (findError(error, 'TransactionNotFoundError')) return false;
        throw error;
      },
    ),
  );
}

function readReceipt(chain: SetupChain, hash: Hex): Promise<TransactionReceipt | undefined> {
  return readFromWalletNode(
    chain,
    chain.rpc.getTransactionReceipt({ hash }).catch((error: unknown) => {
      if (findError(error, 'TransactionReceiptNotFoundError')) return undefined;
      throw error;
    }),
  );
}

/**
 * Check whether the block of a confirmed transaction is gone. A chain may reorganise blocks that are younger than its
 * depth. A managed fork may be recreated at any time. The same bytes may be in another block since.
 *
 * @throws {UpstreamUnavailableError} when the node does not respond
 * @throws {ForkNotRunningError} when the fork does not respond
 */
export async function isUndone(
  chain: SetupChain | undefined,
  { txHash, response }: SetupSubmission,
): Promise<boolean> {
  if (!chain || !response || (await isFinal(chain, BigInt(response.blockNumber)))) return false;
  const receipt = await readReceipt(chain, txHash);
  return receipt?.status !== 'success' || receipt.blockNumber.toString() !== response.blockNumber;
}

async function isFinal(chain: SetupChain, block: bigint): Promise<boolean> {
  return chain.relayMode !== 'managed-fork' && readFromWalletNode(chain, isFinalBlock(chain, block));
}

/**
 * Check that the mined transaction succeeded.
 *
 * @throws {SetupTransactionRevertedError} when it reverted, with the decoded reason
 */
export async function requireSuccess(
  chain: SetupChain,
  transaction: SetupTransaction,
  ticket: SetupTicket,
  receipt: TransactionReceipt,
): Promise<void> {
  if (receipt.status === 'success') return;
  const revertReason = await replay(chain, transaction, ticket, receipt);
  throw new SetupTransactionRevertedError({
    detail: `The setup transaction was mined in block ${receipt.blockNumber} and reverted: ${quoteReason(revertReason)}.`,
    details: { txHash: transaction.hash, blockNumber: receipt.blockNumber.toString(), revertReason },
  });
}

// A receipt has no revert reason. The delegation outlives the revert, so the same call after the block fails in the same
// way, unless only gas was missing.
async function replay(
  chain: SetupChain,
  transaction: SetupTransaction,
  ticket: SetupTicket,
  receipt: TransactionReceipt,
): Promise<string> {
  try {
    await chain.rpc.call({
      account: ticket.walletAddress,
      to: ticket.walletAddress,
      data: transaction.data,
      blockNumber: receipt.blockNumber,
    });
    return 'OUT_OF_GAS';
  } catch (error) {
    const data = revertDataOf(error);
    return data === undefined ? 'UNKNOWN' : decodeRevertReason(data);
  }
}
