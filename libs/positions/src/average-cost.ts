import { byPlace } from '@yield-vault/smart-account';
import type { AverageCost, PricedMovement } from './types.js';

const nothing: AverageCost = { shares: 0n, costBasis: 0n, realised: 0n, openedAtBlock: undefined };

function add(held: AverageCost, { shares, assets, blockNumber }: PricedMovement): AverageCost {
  return {
    ...held,
    shares: held.shares + shares,
    costBasis: held.costBasis + assets,
    openedAtBlock: held.openedAtBlock ?? blockNumber,
  };
}

function remove(held: AverageCost, { kind, shares, assets }: PricedMovement): AverageCost {
  const cost = shares >= held.shares ? held.costBasis : (held.costBasis * shares) / held.shares;
  // More shares leave than came where the history is cut or the shares rebase. The cost of the surplus is unknown, so it
  // earns nothing.
  const proceeds = shares > held.shares ? (assets * held.shares) / shares : assets;
  const realised = kind === 'withdraw' ? held.realised + proceeds - cost : held.realised;
  // The balance is reconciled later.
  if (shares >= held.shares) return { ...nothing, realised };
  return { ...held, shares: held.shares - shares, costBasis: held.costBasis - cost, realised };
}

/**
 * Replay the movements of one vault in chain order and keep the average cost of the shares: a withdrawal
 * takes its share of the basis (rounded down) and realises the rest, a transfer out takes the basis along,
 * and holding none closes the episode. Shares without a known acquisition realise nothing.
 *
 * @param movements - in any order
 */
export function replayAverageCost(movements: readonly PricedMovement[]): AverageCost {
  return [...movements]
    .sort(byPlace)
    .reduce(
      (held, movement) =>
        movement.kind === 'deposit' || movement.kind === 'transfer-in'
          ? add(held, movement)
          : remove(held, movement),
      nothing,
    );
}

/**
 * Fit a replayed cost basis to the share balance, which is the truth. Where they differ, the basis is scaled to the balance.
 * Without any replayed shares, it is their present value.
 *
 * @param balance - shares held
 * @param assetsNow - the present worth of those shares, before exit fees
 */
export function reconcile(replayed: AverageCost, balance: bigint, assetsNow: bigint): bigint {
  if (balance === replayed.shares) return replayed.costBasis;
  return replayed.shares === 0n ? assetsNow : (replayed.costBasis * balance) / replayed.shares;
}

/** The part of a replayed cost basis that the balance still covers, while only a part of the past is replayed. */
export function partialBasis(replayed: AverageCost, balance: bigint): bigint {
  return balance < replayed.shares ? reconcile(replayed, balance, 0n) : replayed.costBasis;
}
