import type { ChainWallet, RankedVault } from '@yield-vault/protocol';
import type { WalletMovement } from '@yield-vault/smart-account';

/** One movement of a wallet's shares of one vault. A transfer has no assets until it has a price. */
export type ShareMovement = Omit<WalletMovement, 'wallet' | 'vault'>;

/** A movement with a price. */
export interface PricedMovement extends ShareMovement {
  readonly assets: bigint;
}

/** A wallet's shares of one vault by its events, and their cost. Amounts in base units. */
export interface AverageCost {
  readonly shares: bigint;
  /** Assets; average cost of the shares held. */
  readonly costBasis: bigint;
  /** Assets earned by withdrawals, over all episodes. */
  readonly realised: bigint;
  /** Block of the first acquisition since the wallet last held none; `undefined` when it holds none. */
  readonly openedAtBlock: bigint | undefined;
}

/** A wallet's holding of one vault, and its earnings there. Amounts in base units of the asset. */
export interface Holding {
  readonly vault: RankedVault;
  /** Base units of the share. */
  readonly shares: bigint;
  readonly costBasis: bigint;
  readonly realised: bigint;
  /** A redeem of all shares would pay this now. */
  readonly currentValue: bigint;
  /** Unix seconds; 0 when nothing is held. */
  readonly openedAtSeconds: number;
  /** Whether the events of all blocks are in `costBasis` and `realised`. */
  readonly isComplete: boolean;
}

/** What a wallet holds on one chain, and what it paid for gas. */
export interface ChainHoldings extends Pick<ChainWallet, 'setup' | 'idle'> {
  readonly holdings: readonly Holding[];
  readonly gasPaidUsd: number;
}
