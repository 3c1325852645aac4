import type { ListedVault } from '@yield-vault/protocol';

/** Where an event stands on its chain. */
export interface EventPosition {
  readonly blockNumber: bigint;
  readonly logIndex: number;
}

/** What moved shares into or out of a wallet. */
export type MovementKind = 'deposit' | 'withdraw' | 'transfer-in' | 'transfer-out';

/** One movement of vault shares of a wallet, as the chain tells it. Amounts in base units. */
export interface ShareMovement extends EventPosition {
  readonly kind: MovementKind;
  readonly shares: bigint;
  /** Assets paid or received; `undefined` for a transfer, which has no price of its own. */
  readonly assets: bigint | undefined;
}

/** A movement with a price: what replay takes. */
export interface PricedMovement extends ShareMovement {
  readonly assets: bigint;
}

/** What a wallet holds of one vault by its events, and what that cost. Amounts in base units. */
export interface AverageCost {
  readonly shares: bigint;
  /** Assets; average cost of the shares held. */
  readonly costBasis: bigint;
  /** Assets earned by withdrawals, over all episodes. */
  readonly realised: bigint;
  /** Block of the first acquisition since the wallet last held none; `undefined` when it holds none. */
  readonly openedAtBlock: bigint | undefined;
}

/** What a wallet holds of one vault now, and what it earned there before. Amounts in base units of the asset. */
export interface Holding {
  readonly vault: ListedVault;
  readonly costBasis: bigint;
  readonly realised: bigint;
  /** What a redeem of all shares would pay now. */
  readonly currentValue: bigint;
  /** Unix seconds; 0 when nothing is held. */
  readonly openedAtSeconds: number;
  /** True when the balance differs from the events and the basis had to be scaled or assumed. */
  readonly basisEstimated: boolean;
}
