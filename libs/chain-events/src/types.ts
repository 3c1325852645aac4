import type { ActiveChain } from '@yield-vault/chains';
import type { Address, Hex } from 'viem';

/** A chain to follow. */
export type FollowedChain = Pick<
  ActiveChain,
  'key' | 'chainId' | 'rpc' | 'entryPoint' | 'contracts' | 'usdc'
>;

/** The contracts whose share tokens are followed, listed in discover or not. */
export interface VaultsPort {
  addresses(chain: string): readonly Address[];
}

/** A block. */
export interface Header {
  readonly number: bigint;
  readonly hash: Hex;
  readonly parentHash: Hex;
  /** Unix seconds. */
  readonly timestamp: bigint;
  readonly logsBloom: Hex | null;
}

/** The newest block whose events are stored. */
export type Cursor = Pick<Header, 'number' | 'hash' | 'timestamp'>;

/** Blocks that were read together: one near the newest, a range before. */
export interface ReadBlocks {
  readonly fromBlock: bigint;
  readonly last: Header;
}
