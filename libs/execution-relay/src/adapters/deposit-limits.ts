import type { DatabaseHandle, DepositLimitTable, Job } from '@yield-vault/database';
import {
  DepositCapReachedError,
  DepositsPausedError,
  type RankedVault,
  type Vault,
} from '@yield-vault/protocol';
import { bulkhead } from 'cockatiel';
import { sql, type Selectable } from 'kysely';
import { formatUnits, type Address, type Hex } from 'viem';
import { type Exposure, readExposures, retryAfterSeconds, unknownValue } from './read-exposures.js';

type Database = DatabaseHandle['db'];

/** A pause or a cap. */
export type DepositLimit = Selectable<DepositLimitTable>;

/** Pauses and caps of deposits, set by operators. Redeem never reads them. */
export interface DepositLimits {
  /** Reads the limits again. While the database is down, the last ones stay. */
  readonly job: Job;
  /** The scopes that are paused: `deposits`, `chain:<key>`, `vault:<vaultId>`. */
  paused(): readonly string[];
  /**
   * Check a deposit before it is signed. A rebalance takes its assets out of another vault, so only the cap of its target
   * counts.
   *
   * @param deposit - `assets` in base units
   * @throws {DepositsPausedError | DepositCapReachedError}
   * @throws {UpstreamUnavailableError} when the value of all deposits is unknown
   */
  require(deposit: {
    readonly vault: Pick<Vault, 'chain' | 'chainId' | 'vaultId' | 'vaultAddress'>;
    readonly wallet: Address;
    readonly assets: bigint;
    readonly isRebalance: boolean;
  }): Promise<void>;
  /**
   * Store a deposit as submitted, unless a limit forbids it. With caps, one deposit at a time.
   *
   * @param submit - returns false when it stores nothing
   * @throws {ServiceError} as `require`; nothing was stored
   */
  submit(
    deposit: { readonly intentId: Hex; readonly chain: string; readonly vaultId: string },
    submit: (db: Database) => Promise<boolean>,
  ): Promise<boolean>;
}

// Short enough that every process follows a change within 5 s.
const intervalMs = 2_000;
const recentMs = 5_000;

/** Read the limits of deposits. The job keeps them current. */
export async function openDepositLimits({
  database: { db },
  chains,
  vaults,
  onRead,
}: {
  readonly database: Pick<DatabaseHandle, 'db'>;
  readonly chains: { readonly all: readonly { readonly chainId: number }[] };
  readonly vaults: { byAddress(chainId: number, address: Address): RankedVault | undefined };
  /** Called after each read. */
  readonly onRead?: (limits: readonly DepositLimit[]) => void;
}): Promise<DepositLimits> {
  let limits: readonly DepositLimit[] = [];
  const run = async () => {
    limits = await db.selectFrom('deposit_limit').selectAll().execute();
    onRead?.(limits);
    return 'done' as const;
  };
  await run();
  const caps = () => limits.filter(({ kind }) => kind === 'cap');

  function requireOpen({ chain, vaultId }: Pick<Vault, 'chain' | 'vaultId'>): void {
    const scopes = ['deposits', `chain:${chain}`, `vault:${vaultId}`];
    const pauses = limits.filter(({ kind, scope }) => kind === 'pause' && scopes.includes(scope));
    if (pauses.length === 0) return;
    const reasons = pauses.map(({ scope, reason }) => `${scope} ${reason}`.trim());
    throw new DepositsPausedError({
      detail: `The operator paused: ${reasons.join('; ')}.`,
      details: { paused: pauses.map(({ scope }) => scope) },
      retryAfterSeconds,
    });
  }

  /** @returns 0 for a vault that the service does not know: nobody deposits into it here */
  function usdOf({ chain_id, priced_vault, shares, assets }: Exposure): number {
    const vault = vaults.byAddress(Number(chain_id), priced_vault);
    if (!vault) return 0;
    const { sharePrice, assetPriceUsd } = vault;
    if (!sharePrice || !assetPriceUsd)
      throw unknownValue(`The vault ${priced_vault} of chain ${chain_id} has no price`);
    const inAssets =
      shares === null
        ? Number(formatUnits(BigInt(assets ?? 0), vault.asset.decimals))
        : Number(formatUnits(BigInt(shares), vault.shareDecimals)) * sharePrice;
    return inAssets * assetPriceUsd;
  }

  function requireBelow(own: Exposure, others: readonly Exposure[], scopes = ['wallet', 'vault', 'total']) {
    const counts: Record<string, (exposure: Exposure) => boolean> = {
      wallet: ({ is_own, is_rebalance }) => is_own && !is_rebalance,
      vault: ({ chain_id, vault }) => chain_id === own.chain_id && vault === own.vault,
      total: ({ is_rebalance }) => !is_rebalance,
    };
    for (const { scope, limit_usd: limitUsd } of caps()) {
      const isCounted = counts[scope];
      if (!scopes.includes(scope) || !isCounted?.(own)) continue;
      const heldUsd = toCents(others.filter(isCounted).reduce((sum, other) => sum + usdOf(other), 0));
      const usd = toCents(usdOf(own));
      if (toCents(heldUsd + usd) <= limitUsd) continue;
      throw new DepositCapReachedError({
        detail: `With ${usd} USD more, deposits would exceed the cap of this ${scope}.`,
        details: { scope, limitUsd, heldUsd },
      });
    }
  }

  let recent: { readonly at: number; readonly exposures: Promise<readonly Exposure[]> } | undefined;
  /** Read what all wallets hold, at most once in a while: anybody may prepare. */
  function readRecent(): Promise<readonly Exposure[]> {
    if (!recent || performance.now() - recent.at > recentMs)
      recent = { at: performance.now(), exposures: readExposures(db, chains.all, '') };
    return recent.exposures;
  }

  // Those that wait hold no connection, so redeems get one.
  const oneSubmit = bulkhead(1, Infinity);
  const oneRead = bulkhead(1, Infinity);

  return {
    job: { name: 'deposit-limits', intervalMs, run },
    paused: () => limits.flatMap(({ kind, scope }) => (kind === 'pause' ? [scope] : [])),
    async require({ vault, wallet, assets, isRebalance }) {
      requireOpen(vault);
      if (caps().length === 0) return;
      const own: Exposure = {
        intent_id: null,
        chain_id: BigInt(vault.chainId),
        vault: vault.vaultAddress.toLowerCase(),
        is_own: true,
        is_rebalance: isRebalance,
        priced_vault: vault.vaultAddress,
        shares: null,
        assets: String(assets),
      };
      const read = () => readExposures(db, chains.all, wallet.toLowerCase(), 'own');
      requireBelow(own, await oneRead.execute(read), ['wallet']);
      requireBelow(own, await readRecent(), ['vault', 'total']);
    },
    async submit({ intentId, ...vault }, submit) {
      requireOpen(vault);
      if (caps().length === 0) return submit(db);
      const submitBelowCaps = async (transaction: Database) => {
        await sql`select pg_advisory_xact_lock(hashtextextended('deposit caps', 0))`.execute(transaction);
        // A pause may have begun meanwhile.
        requireOpen(vault);
        if (!(await submit(transaction))) return false;
        const exposures = await readExposures(transaction, chains.all, intentId);
        const own = exposures.find(({ intent_id }) => intent_id === intentId);
        if (!own) return true;
        // A rebalance of everything, where no event says how much that is.
        if (own.assets === null && BigInt(own.shares ?? 0) <= 0n)
          throw unknownValue('The shares that the wallet moves are not known yet');
        requireBelow(
          own,
          exposures.filter((each) => each !== own),
        );
        return true;
      };
      return oneSubmit.execute(() => db.transaction().execute(submitBelowCaps));
    },
  };
}

const toCents = (usd: number) => Math.round(usd * 100) / 100;
