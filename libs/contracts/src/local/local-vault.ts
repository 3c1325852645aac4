import type { Address } from 'viem';
import type { LocalAssetSymbol, LocalChainId } from './local-chain.js';

/**
 * How a local vault behaves. `steady`, `faster`, `lossy`, `impostor` and `mislabelled` are the same contract with other
 * parameters: a lossy vault lost assets at some time in the past, an impostor bears the name of another vault, and of a
 * mislabelled one the registry names the wrong asset.
 */
export type LocalVaultKind =
  | 'steady'
  | 'faster'
  | 'lossy'
  | 'capped'
  | 'paused'
  | 'exit-fee'
  | 'zero-limit'
  | 'gap'
  | 'impostor'
  | 'mislabelled'
  | 'async'
  | 'whitelist'
  | 'minimum'
  | 'gas-bomb';

/** Static risk facts, in the words of the vault registry. Shares are fractions of 1. */
export interface LocalVaultFacts {
  readonly admin: 'immutable' | 'dao' | 'timelock' | 'multisig' | 'eoa';
  readonly timelockSeconds: number;
  readonly audits: number;
  readonly curator: 'none_needed' | 'known_guarded' | 'known' | 'unknown';
  readonly strategy: 'savings' | 'lending' | 'isolated' | 'multi_market' | 'aggregator' | 'leveraged';
  readonly assetClass: 'fiat_stable' | 'native';
  readonly oracle: 'none_needed' | 'chainlink' | 'redstone' | 'custom';
  /** Share of the vault that its largest depositor owns; provisioning makes it true on chain. */
  readonly top1Share: number;
  /** Share of the vault that can leave at once. */
  readonly liquidity: number;
}

export interface LocalVaultDefinition {
  readonly chainId: LocalChainId;
  /** CREATE2 address; follows from the bytecode, the asset, the name, the symbol and the offset. */
  readonly address: Address;
  readonly name: string;
  readonly symbol: string;
  readonly protocol: string;
  readonly asset: LocalAssetSymbol;
  readonly kind: LocalVaultKind;
  /** Decimals of a share beyond those of the asset. */
  readonly decimalsOffset: number;
  /** Yield in percent a year that the vault pays from the start. */
  readonly apyPercent: number;
  /** Whole units of the asset that depositors own after provisioning. */
  readonly tvl: number;
  /** Assets per share after provisioning: what the vault earned before the local chain begins. */
  readonly sharePrice: number;
  /** Whole units of the asset that may still be deposited; only `capped` vaults have a limit. */
  readonly room?: number;
  /** Whole units of the asset that the smallest deposit has; only `minimum` vaults ask for one. */
  readonly minimum?: number;
  /** What the registry says instead of `asset`; only of `mislabelled` vaults. */
  readonly registeredAsset?: LocalAssetSymbol;
  /** When the vault was first seen, ISO 8601 date. */
  readonly firstSeen: string;
  readonly facts: LocalVaultFacts;
  /** Words of the registry that discovery and relays understand. */
  readonly flags: readonly string[];
}
