import type { Address, Hex } from 'viem';

/** Where progress and trouble are told; a pino logger fits. */
export interface LoggerPort {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** How the USD price of a snapshot was found. */
export const priceSources = { feed: 0, assumedPeg: 1, unknown: 2 } as const;
export type PriceSource = (typeof priceSources)[keyof typeof priceSources];

/** One measurement of a vault. */
export interface Snapshot {
  /** Id of the vault inside the store. */
  readonly vault: number;
  /** Time of the block, Unix seconds. */
  readonly t: number;
  readonly block: bigint;
  /** Assets in base units for 10^(shareDecimals + 6) base units of the share. */
  readonly sharePrice: bigint;
  readonly totalAssets: bigint;
  readonly totalSupply: bigint;
  /** USD for one whole unit of the asset; 0 when unknown. */
  readonly priceUsd: number;
  readonly priceSource: PriceSource;
}

/** Every complete hour of a vault in [from, until) was read; Unix seconds. */
export interface Coverage {
  readonly vault: number;
  readonly from: number;
  readonly until: number;
}

/** A block that was sampled. */
export interface Anchor {
  readonly block: bigint;
  readonly hash: Hex;
}

/** Keeps snapshots. One per vault and UTC hour: the newest wins, so that two samplers do no harm. */
export interface SnapshotStore {
  /** Give each vault its id, the same for ever. */
  register(
    vaults: readonly { readonly vaultId: string; readonly chainId: number; readonly address: Address }[],
  ): Promise<ReadonlyMap<string, number>>;
  coverage(vaults: readonly number[]): Promise<readonly Coverage[]>;
  /** Write snapshots and how far they reach at once, or neither. */
  save(snapshots: readonly Snapshot[], coverage: readonly Coverage[]): Promise<void>;
  /** Oldest first within each vault. */
  read(vaults: readonly number[], since: number): Promise<readonly Snapshot[]>;
  anchor(chainId: number): Promise<Anchor | undefined>;
  setAnchor(chainId: number, anchor: Anchor): Promise<void>;
  /** Forget everything that was read from a chain. */
  discardChain(chainId: number): Promise<void>;
}
