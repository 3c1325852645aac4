import type { DatabaseHandle, DepositLimitTable, Job } from '@yield-vault/database';
import {
  DepositCapReachedError,
  DepositsPausedError,
  UpstreamUnavailableError,
  type RankedVault,
  type Vault,
} from '@yield-vault/protocol';
import { sql, type Selectable } from 'kysely';
import { formatUnits, type Address, type Hex } from 'viem';

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

/** A position, or a deposit whose event is not stored yet. */
interface Exposure {
  /** Null for a position. */
  readonly intent_id: Hex | null;
  readonly chain_id: bigint;
  /** Lower case. */
  readonly vault: string;
  /** Whether it belongs to the wallet whose deposit is checked. */
  readonly is_own: boolean;
  readonly is_rebalance: boolean;
  /** The vault that `shares` and `assets` refer to: the source of a rebalance, else `vault`. */
  readonly priced_vault: Address;
  /** Base units. */
  readonly shares: string | null;
  /** Base units. Read only when `shares` is null. */
  readonly assets: string | null;
}

// Short enough that every process follows a change within 5 s.
const intervalMs = 2_000;
const retryAfterSeconds = 60;

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

  /** @param walletOrIntent - whose exposures are `is_own`: a wallet in lower case, or the id of its intent */
  async function readExposures(db: Database, walletOrIntent: string): Promise<readonly Exposure[]> {
    const fresh = await sql<{ chain_id: bigint }>`
      select chain_id from followed_chain where seen_at > now() - interval '5 minutes'`.execute(db);
    const ids = fresh.rows.map(({ chain_id }) => Number(chain_id));
    const stale = chains.all.find(({ chainId }) => !ids.includes(chainId));
    if (stale) throw unknownValue(`The events of chain ${stale.chainId} are stale`);
    const { rows } = await sql<Exposure>`
      with followed as materialized (
        select chain_id, block_time from followed_chain where seen_at > now() - interval '5 minutes'
      ), movement as not materialized (
        select chain_id, wallet, vault, case when kind in ('deposit', 'transfer-in') then shares else -shares end as shares
        from share_movement join followed using (chain_id)
      ), own as (
        select coalesce((select wallet from intent where intent_id = ${walletOrIntent}), ${walletOrIntent}) as wallet
      )
      select null as intent_id, chain_id, vault, wallet = (select wallet from own) as is_own, false as is_rebalance,
        vault as priced_vault, sum(shares) as shares, null as assets
      from (select distinct chain_id, wallet from user_operation) used cross join lateral (
        select vault, sum(shares) as shares from movement
        where movement.chain_id = used.chain_id and movement.wallet = used.wallet group by vault
      ) position where shares > 0 group by chain_id, vault, is_own
      union all
      select intent_id, chain_id, lower(moves -> -1 ->> 'vaultAddress'), wallet = (select wallet from own),
        moves -> 0 ->> 'hook' = 'redeem', moves -> 0 ->> 'vaultAddress',
        case when moves -> 0 ->> 'hook' = 'redeem' then coalesce((moves -> 0 ->> 'amount')::numeric, (
          select sum(shares) from movement source where source.chain_id = intent.chain_id
            and source.wallet = intent.wallet and source.vault = lower(moves -> 0 ->> 'vaultAddress')
        ), 0) end, moves -> 0 ->> 'amount'
      from intent join followed using (chain_id)
      where moves -> -1 ->> 'hook' = 'deposit' and (
        state in ('submitted', 'included')
        or state = 'confirmed' and updated_at > least(to_timestamp(block_time), now()) - interval '15 minutes'
      ) and not exists (
        select from user_operation stored
        where stored.chain_id = intent.chain_id and stored.user_op_hash = intent.user_op_hash
      )`.execute(db);
    return rows;
  }

  function usdOf({ chain_id, priced_vault, shares, assets }: Exposure): number {
    const vault = vaults.byAddress(Number(chain_id), priced_vault);
    const { sharePrice = 0, assetPriceUsd = 0 } = vault ?? {};
    if (!vault || !sharePrice || !assetPriceUsd)
      throw unknownValue(`The vault ${priced_vault} of chain ${chain_id} has no price`);
    const inAssets =
      shares === null
        ? Number(formatUnits(BigInt(assets ?? 0), vault.asset.decimals))
        : Number(formatUnits(BigInt(shares), vault.shareDecimals)) * sharePrice;
    return inAssets * assetPriceUsd;
  }

  function requireBelow(own: Exposure, others: readonly Exposure[]): void {
    const counts: Record<string, (exposure: Exposure) => boolean> = {
      wallet: ({ is_own, is_rebalance }) => is_own && !is_rebalance,
      vault: ({ chain_id, vault }) => chain_id === own.chain_id && vault === own.vault,
      total: ({ is_rebalance }) => !is_rebalance,
    };
    for (const { scope, limit_usd: limitUsd } of caps()) {
      const isCounted = counts[scope];
      if (!isCounted?.(own)) continue;
      const heldUsd = toCents(others.filter(isCounted).reduce((sum, other) => sum + usdOf(other), 0));
      const usd = toCents(usdOf(own));
      if (toCents(heldUsd + usd) <= limitUsd) continue;
      throw new DepositCapReachedError({
        detail: `With ${usd} USD more, deposits would exceed the cap of this ${scope}.`,
        details: { scope, limitUsd, heldUsd },
      });
    }
  }

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
      requireBelow(own, await readExposures(db, wallet.toLowerCase()));
    },
    async submit({ intentId, ...vault }, submit) {
      requireOpen(vault);
      if (caps().length === 0) return submit(db);
      return db.transaction().execute(async (transaction) => {
        await sql`select pg_advisory_xact_lock(hashtextextended('deposit caps', 0))`.execute(transaction);
        if (!(await submit(transaction))) return false;
        const exposures = await readExposures(transaction, intentId);
        const own = exposures.find(({ intent_id }) => intent_id === intentId);
        if (own)
          requireBelow(
            own,
            exposures.filter((each) => each !== own),
          );
        return true;
      });
    },
  };
}

const toCents = (usd: number) => Math.round(usd * 100) / 100;

const unknownValue = (why: string) =>
  new UpstreamUnavailableError({
    detail: `${why}, so the caps of deposits cannot be checked. Redeem works.`,
    details: { dependency: 'deposit-caps' },
    retryAfterSeconds,
  });
