import type { Order, Snapshot } from '../types.js';
import { valueOf } from './value-of.js';

/** What the vaults say an order brings now, in base units. */
export interface Quotes {
  /** Assets that are paid for the shares taken out; 0 for a deposit. */
  readonly redeemed: bigint;
  /** Shares that the deposit gives; 0 for a redeem. */
  readonly deposited: bigint;
}

/**
 * Take the quotes of an order. Those of a rebalance belong together: what the source pays is what the target is asked
 * about.
 *
 * @throws {VaultAtCapacityError | PreflightSimulationError} when a vault refuses to say
 */
export function quotesOf(
  order: Order,
  { redeemed, entered }: Pick<Snapshot, 'redeemed' | 'entered'>,
): Quotes {
  const { instruction } = order;
  // Only of a redeem: what closes the source to it is not the room of the target.
  const leaving: Order =
    instruction.operation === 'rebalance'
      ? { ...order, instruction: { operation: 'redeem', amount: { percentage: 100 } } }
      : order;
  return {
    redeemed: redeemed ? valueOf(redeemed, leaving) : 0n,
    deposited: entered ? valueOf(entered.deposited, order) : 0n,
  };
}
