import { waitOrGiveUp, type Pending, type Waiting } from '@yield-vault/chains';
import { ForkNotRunningError } from '@yield-vault/protocol';
import type { Hex, TransactionReceipt } from 'viem';
import type { ForksPort, SetupChain } from '../ports.js';
import { asReadFailure } from './as-read-failure.js';
import { findTransaction } from './find-transaction.js';
import { readReceipt } from './read-receipt.js';

export interface Confirmed {
  readonly receipt: TransactionReceipt;
  /** The newest block when it was seen. */
  readonly head: bigint;
}

/**
 * Wait until a transaction is mined and confirmed. Written out rather than left to viem's
 * `waitForTransactionReceipt`, which answers with the receipt of a replacement and cannot renew the lease.
 *
 * @param confirmations - blocks that hold it or follow, at least 1
 * @param options.forks - mines what is missing; without it, the chain does by itself
 * @param options.onPoll - called before each further look
 * @throws {TransactionPendingError} when the deadline passes
 * @throws {UpstreamUnavailableError} when the node does not answer
 * @throws {ForkNotRunningError} when the managed fork does not, or was recreated
 */
export async function awaitReceipt(
  chain: SetupChain,
  hash: Hex,
  confirmations: number,
  waiting: Waiting,
  options: { readonly forks: ForksPort | undefined; readonly onPoll: () => Promise<void> },
): Promise<Confirmed> {
  for (let looks = 0; ; looks++) {
    let look = await lookAt(chain, hash, confirmations);
    if (look.receipt && look.missing > 0 && options.forks) {
      await options.forks.confirm(chain.key, look.missing);
      look = await lookAt(chain, hash, confirmations);
    }
    if (look.receipt && look.missing <= 0) return { receipt: look.receipt, head: look.head };
    if (!look.receipt && options.forks && !(await findTransaction(chain, hash))) throw recreated(chain);
    await waitOrGiveUp(notConfirmed(hash), waiting, looks);
    await options.onPoll();
  }
}

/** Say what a call that outlives its wait was waiting for. */
export function notConfirmed(txHash: Hex): Pending {
  return { detail: 'The setup transaction is not confirmed yet.', details: { txHash } };
}

interface Look {
  readonly receipt: TransactionReceipt | undefined;
  /** Confirmations that it lacks. */
  readonly missing: number;
  readonly head: bigint;
}

async function lookAt(chain: SetupChain, hash: Hex, confirmations: number): Promise<Look> {
  const [receipt, head] = await Promise.all([readReceipt(chain, hash), readHead(chain)]);
  const blocks = receipt ? Number(head - receipt.blockNumber + 1n) : 0;
  return { receipt, missing: confirmations - blocks, head };
}

function readHead(chain: SetupChain): Promise<bigint> {
  return chain.rpc.getBlockNumber({ cacheTime: 0 }).catch((error: unknown) => {
    throw asReadFailure(error, chain);
  });
}

/** No fork loses what it was given, so this is another one. */
function recreated({ key }: SetupChain): ForkNotRunningError {
  return new ForkNotRunningError({
    detail: `The fork of ${key} was recreated while the transaction waited for its confirmations.`,
    details: { chain: key },
    retryAfterSeconds: 1,
  });
}
