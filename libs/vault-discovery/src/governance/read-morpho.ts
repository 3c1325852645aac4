import type {
  AccrualVault,
  AccrualVaultV2,
  AccrualVaultV2MorphoMarketV1Adapter,
  AccrualVaultV2MorphoMarketV1AdapterV2,
  AccrualVaultV2MorphoVaultV1Adapter,
  Market,
  VaultV2,
} from '@morpho-org/blue-sdk';
import { asUpstreamError } from '@yield-vault/chains';
import type { PendingChange } from '@yield-vault/protocol';
import { type Address, keccak256, type PublicClient, toFunctionSelector, zeroAddress } from 'viem';
import { inParallel } from '../batching.js';
import type { TrackedVault } from '../catalogue/check-vaults.js';
import type { RegistryEntry } from '../catalogue/parse-registry.js';
import { maxDelaySeconds } from './read-accounts.js';

/** What a vault lends to one market of Morpho. */
export interface Position {
  readonly market: Market;
  /** Base units of the vault's asset. */
  readonly assets: bigint;
  /** Whether a redeem takes assets from this market. */
  readonly isExit: boolean;
}

/** A vault that a factory of Morpho made. */
export interface MorphoVault {
  /** Base units of the vault's asset. */
  readonly totalAssets: bigint;
  /** Undefined where an adapter is unknown. */
  readonly positions?: readonly Position[];
  /** Zero where nobody has the role. */
  readonly curator: Address;
  /** Undefined for version 2, whose sentinels cannot be listed. */
  readonly guardian?: Address;
  /** Seconds before a change that adds risk takes effect. */
  readonly timelock: number;
  readonly performancePercent: number;
  readonly managementPercent: number;
  readonly pending: readonly PendingChange[];
}

const concurrentVaults = 10;

/**
 * Read the Morpho vaults among others, version 1 and 2.
 *
 * @returns undefined for vaults of others, whatever the registry says; those that the node failed to read are left out
 */
export async function readMorpho(
  rpc: PublicClient,
  vaults: readonly TrackedVault[],
  block: bigint,
): Promise<ReadonlyMap<TrackedVault, MorphoVault | undefined>> {
  const found = await inParallel(vaults, concurrentVaults, async (vault) => {
    const readers = vault.entry.protocol === 'morpho' ? await readersOf(rpc, vault.entry, block) : [];
    for (const read of readers) {
      try {
        return [[vault, await read()] as const];
      } catch (error) {
        if (asUpstreamError(error, 'rpc')) return [];
      }
    }
    return [[vault, undefined] as const];
  });
  return new Map(found.flat());
}

/** Ways to read a vault; one fails for a vault of another version. */
async function readersOf(rpc: PublicClient, { chainId, address }: RegistryEntry, blockNumber: bigint) {
  // Loaded on first use, because few programs read vaults of Morpho.
  const { fetchAccrualVault, fetchAccrualVaultV2, fetchVaultV2, vaultV2Abi } =
    await import('@morpho-org/blue-sdk-viem');
  // Without its fallback, which lists as many markets as a contract claims to have.
  const options = { chainId, blockNumber, deployless: 'force' } as const;
  const contract = { address, abi: vaultV2Abi, blockNumber } as const;
  const readV2 = async (vault: AccrualVaultV2 | VaultV2): Promise<MorphoVault> => {
    const [curator, ...delays] = await Promise.all([
      rpc.readContract({ ...contract, functionName: 'curator' }),
      ...riskySelectors.map((selector) =>
        rpc.readContract({ ...contract, functionName: 'timelock', args: [selector] }),
      ),
    ]);
    return {
      totalAssets: vault._totalAssets,
      ...('accrualAdapters' in vault && { positions: positionsOfV2(vault) }),
      curator,
      timelock: Math.min(maxDelaySeconds, ...delays.map(Number)),
      performancePercent: Number(vault.performanceFee) / 1e16,
      managementPercent: (Number(vault.managementFee) * yearSeconds) / 1e16,
      pending: [],
    };
  };
  return [
    () => fetchAccrualVault(address, rpc, options).then(describeV1),
    () => fetchAccrualVaultV2(address, rpc, options).then(readV2),
    () => fetchVaultV2(address, rpc, options).then(readV2),
  ];
}

/** Functions of version 2 that add risk, or lock holders in. */
export const riskySelectors = [
  'addAdapter(address)',
  'increaseAbsoluteCap(bytes,uint256)',
  'increaseRelativeCap(bytes,uint256)',
  'setSendSharesGate(address)',
  'setReceiveAssetsGate(address)',
].map(toFunctionSelector);
const yearSeconds = 365 * 86_400;

function describeV1(vault: AccrualVault): MorphoVault {
  const { curator, guardian, timelock, fee, pendingTimelock, pendingGuardian, allocations } = vault;
  const changes: [{ readonly validAt: bigint }, string, boolean][] = [
    [
      pendingTimelock,
      `timelock: ${pendingTimelock.value} s instead of ${timelock} s`,
      pendingTimelock.value < timelock,
    ],
    [
      pendingGuardian,
      `guardian: ${pendingGuardian.value} instead of ${guardian}`,
      pendingGuardian.value === zeroAddress,
    ],
  ];
  for (const [marketId, { config }] of allocations)
    // A lower cap needs no announcement.
    changes.push([
      config.pendingCap,
      `cap of market ${marketId}: ${config.pendingCap.value} base units`,
      true,
    ]);
  return {
    totalAssets: vault.totalAssets,
    positions: positionsOfV1(vault),
    curator,
    guardian,
    timelock: Number(timelock),
    performancePercent: Number(fee) / 1e16,
    managementPercent: 0,
    pending: changes
      .filter(([{ validAt }]) => validAt > 0n)
      .sort(([a], [b]) => Number(a.validAt - b.validAt))
      .map(([{ validAt }, change, loosens]) => ({
        change,
        loosens,
        validAt: new Date(Number(validAt) * 1_000).toISOString(),
      })),
  };
}

const positionsOfV1 = ({ allocations }: AccrualVault): Position[] =>
  Array.from(allocations.values(), ({ position: { market, supplyAssets } }) => ({
    market,
    assets: supplyAssets,
    isExit: true,
  }));

/** The adapters that the library knows, told apart by their fields. */
type Adapter = Partial<
  Pick<AccrualVaultV2MorphoVaultV1Adapter, 'accrualVaultV1' | 'shares'> &
    Pick<AccrualVaultV2MorphoMarketV1Adapter, 'positions'> &
    Pick<AccrualVaultV2MorphoMarketV1AdapterV2, 'markets' | 'supplyShares'>
>;

/** A redeem of version 2 reaches one adapter, and of an adapter of markets one market. */
export function positionsOfV2({
  accrualAdapters,
  liquidityAdapter,
  liquidityData,
}: Pick<AccrualVaultV2, 'accrualAdapters' | 'liquidityAdapter' | 'liquidityData'>): Position[] {
  return accrualAdapters.flatMap((adapter) => {
    const {
      accrualVaultV1: inner,
      shares = 0n,
      positions = [],
      markets = [],
      supplyShares = {},
    } = adapter as Adapter;
    const isUsed = adapter.address === liquidityAdapter;
    if (inner)
      return positionsOfV1(inner).map(({ market, assets }) => ({
        market,
        // A vault that nobody has entered has no shares.
        assets: (assets * shares) / (inner.totalSupply || 1n),
        isExit: isUsed,
      }));
    return [
      ...positions.map(({ market, supplyAssets }) => ({ market, assets: supplyAssets })),
      ...markets.map((market) => ({ market, assets: market.toSupplyAssets(supplyShares[market.id] ?? 0n) })),
      // The id of a market is the hash of its parameters.
    ].map((held) => ({ ...held, isExit: isUsed && keccak256(liquidityData) === held.market.id }));
  });
}

/** A market that is lent out to this or more cannot be left; 18 decimals. */
const fullUtilisation = 98n * 10n ** 16n;

/** Assets that redeems can take out of the markets now, in base units. Assets in the vault itself come on top. */
export const withdrawableOf = (positions: readonly Position[]): bigint =>
  positions
    .filter(({ isExit, market }) => isExit && market.utilization < fullUtilisation)
    .reduce((sum, { assets, market }) => sum + (assets < market.liquidity ? assets : market.liquidity), 0n);
