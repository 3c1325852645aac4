import { canonical } from '@yield-vault/contracts';
import { concat, encodeDeployData, getContractAddress, zeroHash, type Address, type Hex } from 'viem';
import { localAsyncVaultBytecode } from '../generated/LocalAsyncVault.js';
import { localCappedVaultBytecode } from '../generated/LocalCappedVault.js';
import { localExitFeeVaultBytecode } from '../generated/LocalExitFeeVault.js';
import { localGapVaultBytecode } from '../generated/LocalGapVault.js';
import { localGasBombVaultBytecode } from '../generated/LocalGasBombVault.js';
import { localLendingVaultBytecode } from '../generated/LocalLendingVault.js';
import { localMinimumVaultBytecode } from '../generated/LocalMinimumVault.js';
import { localPausableVaultBytecode } from '../generated/LocalPausableVault.js';
import { localVaultAbi, localVaultBytecode } from '../generated/LocalVault.js';
import { localWhitelistVaultBytecode } from '../generated/LocalWhitelistVault.js';
import { localZeroLimitVaultBytecode } from '../generated/LocalZeroLimitVault.js';
import { localAddresses, ofLocalChains, type LocalAssetSymbol, type LocalChainId } from './local-chain.js';
import data from './local-vaults.json' with { type: 'json' };

/**
 * How a local vault behaves. `steady`, `faster`, `lossy`, `impostor` and `mislabelled` are one contract with other
 * parameters. A lossy vault lost assets in the past. An impostor has the name of another vault. The registry names the
 * wrong asset for a mislabelled vault. `lending`, `frozen` and `locked` are one contract: it lends a part of its assets,
 * all of them, or locks shares after a deposit.
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
  | 'gas-bomb'
  | 'lending'
  | 'frozen'
  | 'locked';

/** Static risk facts, in the words of the vault registry. Shares are fractions of 1; what is absent is unknown. */
export interface LocalVaultFacts {
  readonly admin?: 'immutable' | 'dao' | 'timelock' | 'multisig' | 'eoa';
  readonly timelockSeconds?: number;
  readonly audits?: number;
  readonly curator?: 'none_needed' | 'known_guarded' | 'known';
  readonly strategy?: 'savings' | 'lending' | 'isolated' | 'multi_market' | 'aggregator' | 'leveraged';
  readonly assetClass?: 'fiat_stable' | 'native';
  readonly oracle?: 'none_needed' | 'chainlink' | 'redstone' | 'custom';
  /** Share of the vault that its largest depositor owns; provisioning makes it true on chain. */
  readonly top1Share: number;
}

export interface LocalVaultDefinition {
  readonly chainId: LocalChainId;
  /** CREATE2 address. It follows from the bytecode, the asset, the name, the symbol and the offset. */
  readonly address: Address;
  readonly name: string;
  readonly symbol: string;
  readonly protocol: string;
  readonly asset: LocalAssetSymbol;
  readonly kind: LocalVaultKind;
  /** Decimals of a share minus decimals of the asset. */
  readonly decimalsOffset: number;
  /** Yield in percent a year that the vault pays from the start. */
  readonly apyPercent: number;
  /** Whole units of the asset that depositors own after provisioning. */
  readonly tvl: number;
  /** Assets per share after provisioning: the vault earned the difference to 1 before the local chain starts. */
  readonly sharePrice: number;
  /** Whole units of the asset that may still be deposited; only `capped` vaults have a limit. */
  readonly room?: number;
  /** Whole units of the asset that the smallest deposit has; only `minimum` vaults have one. */
  readonly minimum?: number;
  /** Whole units of the asset that are lent out and cannot be redeemed; only `lending` and `frozen` vaults have them. */
  readonly lent?: number;
  /** Seconds that shares are locked after a deposit; only in `locked` vaults. */
  readonly lockSeconds?: number;
  /** Asset in the registry, in place of `asset`; only for `mislabelled` vaults. */
  readonly registeredAsset?: LocalAssetSymbol;
  /** When the vault was first seen, ISO 8601 date. */
  readonly firstSeen: string;
  readonly facts: LocalVaultFacts;
  /** Words of the registry that discovery and relays understand. */
  readonly flags: readonly string[];
}

const bytecodes: Readonly<Record<LocalVaultKind, Hex>> = {
  steady: localVaultBytecode,
  faster: localVaultBytecode,
  lossy: localVaultBytecode,
  capped: localCappedVaultBytecode,
  paused: localPausableVaultBytecode,
  'exit-fee': localExitFeeVaultBytecode,
  'zero-limit': localZeroLimitVaultBytecode,
  gap: localGapVaultBytecode,
  impostor: localVaultBytecode,
  mislabelled: localVaultBytecode,
  async: localAsyncVaultBytecode,
  whitelist: localWhitelistVaultBytecode,
  minimum: localMinimumVaultBytecode,
  'gas-bomb': localGasBombVaultBytecode,
  lending: localLendingVaultBytecode,
  frozen: localLendingVaultBytecode,
  locked: localLendingVaultBytecode,
};

/** Compute the address of the asset of a local vault. */
export function localAssetAddress(vault: Pick<LocalVaultDefinition, 'chainId' | 'asset'>): Address {
  const addresses = localAddresses[vault.chainId];
  return vault.asset === 'USDC' ? addresses.usdc : addresses.weth;
}

function creationCode(vault: VaultTerms): Hex {
  // Every kind has the constructor of the plain vault.
  return encodeDeployData({
    abi: localVaultAbi,
    bytecode: bytecodes[vault.kind],
    args: [localAssetAddress(vault), vault.name, vault.symbol, vault.decimalsOffset],
  });
}

/** Encode the call data that makes the deterministic deployer create a local vault. */
export function localVaultDeployment(vault: LocalVaultDefinition): { to: Address; data: Hex } {
  return { to: canonical.create2Deployer, data: concat([zeroHash, creationCode(vault)]) };
}

function addressOf(vault: VaultTerms): Address {
  return getContractAddress({
    opcode: 'CREATE2',
    from: canonical.create2Deployer,
    salt: zeroHash,
    bytecode: creationCode(vault),
  });
}

type VaultTerms = Omit<LocalVaultDefinition, 'address'>;

const build = (chainId: LocalChainId, rows: readonly unknown[]): readonly LocalVaultDefinition[] =>
  (rows as Omit<VaultTerms, 'chainId'>[]).map((row) => {
    const vault = { chainId, ...row };
    return { ...vault, address: addressOf(vault) };
  });

/** Every local vault by chain id, as `local-vaults.json` lists them. Names and protocols are invented. */
export const localVaults = ofLocalChains((chainId) => build(chainId, data[`${chainId}`]));
