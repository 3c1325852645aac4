import type { ActiveChain } from '@yield-vault/chains';
import type { RankedVault } from '@yield-vault/protocol';
import type { Address } from 'viem';

/** A chain to read positions from. */
export type PositionsChain = Pick<
  ActiveChain,
  'key' | 'chainId' | 'rpc' | 'entryPoint' | 'contracts' | 'usdc' | 'paymaster'
>;

/** The vaults whose shares count as positions, listed in discover or not. */
export interface VaultsPort {
  list(chain: string): readonly RankedVault[];
}

/** Reads the fees of a chain once; a full redeem from its vaults is then priced without the node. */
export type CostsPort = (chain: string) => Promise<(vault: RankedVault) => { readonly redeemGasUsd: number }>;

/** Follows each chain and stores its events. */
export interface FollowerPort {
  /**
   * Wait until the events of a block and of all earlier ones are stored.
   *
   * @returns whether they are; `false` at once while nobody follows the chain
   */
  reach(chainId: number, block: bigint, timeoutMs: number, signal?: AbortSignal): Promise<boolean>;
}

/** A wallet on one chain. */
export interface WalletKey {
  readonly chainId: number;
  readonly wallet: Address;
}

/** Who reads positions, and until when. */
export interface StatusCall {
  /** The caller. Ten of its wallets at a time have their past read; without a client there is no limit. */
  readonly client?: string;
  /** Aborted when nobody waits for the result any more. */
  readonly signal?: AbortSignal;
}
