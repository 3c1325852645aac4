import type { DatabaseHandle, DepositLimitTable, Job } from '@yield-vault/database';
import { DepositCapReachedError, DepositsPausedError, UpstreamUnavailableError } from '@yield-vault/protocol';
import { sql, type RawBuilder, type Selectable } from 'kysely';
import { formatUnits, type Address, type Hex } from 'viem';
import type { VaultMove, VaultsPort } from '../ports.js';

type Database = DatabaseHandle['db'];

/** A pause or a cap. */
export type DepositLimit = Selectable<DepositLimitTable>;

/** A deposit that nothing has submitted yet. */
export interface PlannedDeposit {
  readonly chainId: number;
  readonly wallet: Address;
  readonly vaultAddress: Address;
  /** Base units of the asset. */
  readonly assets: bigint;
  /** The assets come out of another vault, so only the cap of the vault counts. */
  readonly isRebalance: boolean;
}

/** What operators stop or limit. Redeem never asks. */
export interface DepositLimits {
  /** Follows the database. While it is down, the last state stays. */
  readonly job: Job;
  /** The scopes that are paused: `deposits`, `chain:<key>`, `vault:<vaultId>`. */
  paused(): readonly string[];
  /** @throws {DepositsPausedError} */
  requireOpen(vault: { readonly chain: string; readonly vaultId: string }): void;
  /**
   * Check a deposit before it is signed.
   *
   * @throws {DepositCapReachedError}
   * @throws {UpstreamUnavailableError} when the value that is held is unknown
   */
  requireRoom(deposit: PlannedDeposit): Promise<void>;
  /**
   * Submit a deposit if no cap forbids it. While there are caps, one deposit at a time.
   *
   * @param submit - stores the intent as submitted; returns false when it stores nothing
   * @throws {DepositCapReachedError | UpstreamUnavailableError} as `requireRoom`; nothing was stored
   */
  submitWithin(intentId: Hex, submit: (db: Database) => Promise<boolean>): Promise<boolean>;
}

/** A position, or a deposit that is under way. */
interface Exposure {
  readonly chainId: number;
  /** Lower case. */
  readonly vault: string;
  readonly isOfWallet: boolean;
  readonly isRebalance: boolean;
  readonly usd: number;
}

// All processes follow within 5 s.
const intervalMs = 2_000;
const pausedRetryAfterSeconds = 60;

/** Open the limits of deposits, as they are now. */
export async function openDepositLimits({
  database: { db },
  chains,
  vaults,
  onRead,
}: {
  readonly database: Pick<DatabaseHandle, 'db'>;
  readonly chains: { readonly all: readonly { readonly chainId: number }[] };
  readonly vaults: VaultsPort;
  /** Called after each read. */
  readonly onRead?: (limits: readonly DepositLimit[]) => void;
}): Promise<DepositLimits> {
  const read = async () => {
    const read = await db.selectFrom('deposit_limit').selectAll().execute();
    onRead?.(read);
    return read;
  };
  let limits = await read();
  const caps = () => limits.filter(({ kind }) => kind === 'cap');
  const chainIds = sql.join(chains.all.map(({ chainId }) => chainId));

  /** Read what wallets of this service hold, and the deposits whose events are not stored yet, by intent. */
  async function readExposures(db: Database, wallet: RawBuilder<unknown>) {
    const { rows: silent } = await sql<{ chain_id: bigint }>`
      select chain_id from (values ${sql.join(chains.all.map(({ chainId }) => sql`(${chainId}::bigint)`))}) as active (chain_id)
      where not exists (
        select from followed_chain followed
        where followed.chain_id = active.chain_id and seen_at > now() - interval '5 minutes'
      )`.execute(db);
    if (silent[0]) throw unknown(`The events of chain ${silent[0].chain_id} are stale`);
    const net = sql`sum(case when kind in ('deposit', 'transfer-in') then shares else -shares end)`;
    const positions = await sql<{ chain_id: bigint; vault: Address; is_own: boolean; shares: string }>`
      select chain_id, vault, wallet = ${wallet} as is_own, sum(shares) as shares from (
        select chain_id, wallet, vault, ${net} as shares from share_movement
        where chain_id in (${chainIds}) and (chain_id, wallet) in (select chain_id, wallet from user_operation)
        group by chain_id, wallet, vault
      ) position where shares > 0 group by chain_id, vault, is_own`.execute(db);
    const open = await sql<{
      intent_id: Hex;
      chain_id: bigint;
      is_own: boolean;
      moves: readonly VaultMove[];
      source_shares: string;
    }>`
      select intent_id, chain_id, wallet = ${wallet} as is_own, moves, (
        select coalesce(${net}, 0) from share_movement source where source.chain_id = intent.chain_id
          and source.wallet = intent.wallet and source.vault = lower(moves -> 0 ->> 'vaultAddress')
      ) as source_shares
      from intent join followed_chain followed using (chain_id)
      where chain_id in (${chainIds}) and (
        state in ('submitted', 'included')
        or state = 'confirmed' and updated_at > least(to_timestamp(block_time), now()) - interval '15 minutes'
      ) and not exists (
        select from user_operation stored
        where stored.chain_id = intent.chain_id and stored.user_op_hash = intent.user_op_hash
      )`.execute(db);

    const exposures = new Map<Hex | number, Exposure>();
    for (const { chain_id, vault, is_own: isOfWallet, shares } of positions.rows) {
      const chainId = Number(chain_id);
      const usd = usdOf(chainId, vault, { shares: BigInt(shares) });
      exposures.set(exposures.size, { chainId, vault, isOfWallet, isRebalance: false, usd });
    }
    for (const { intent_id, chain_id, is_own: isOfWallet, moves, source_shares } of open.rows) {
      const [first, target = first] = moves;
      if (!first || target?.hook !== 'deposit') continue;
      const chainId = Number(chain_id);
      const isRebalance = target !== first;
      const usd = isRebalance
        ? usdOf(chainId, first.vaultAddress, { shares: BigInt(first.amount ?? source_shares) })
        : usdOf(chainId, first.vaultAddress, { assets: BigInt(first.amount ?? 0) });
      const vault = target.vaultAddress.toLowerCase();
      exposures.set(intent_id, { chainId, vault, isOfWallet, isRebalance, usd });
    }
    return exposures;
  }

  function usdOf(
    chainId: number,
    address: Address,
    amount: { readonly shares: bigint } | { readonly assets: bigint },
  ): number {
    const vault = vaults.byAddress(chainId, address);
    const { sharePrice = 0, assetPriceUsd = 0 } = vault ?? {};
    if (!vault || !sharePrice || !assetPriceUsd)
      throw unknown(`The vault ${address} of chain ${chainId} has no price`);
    return 'assets' in amount
      ? Number(formatUnits(amount.assets, vault.asset.decimals)) * assetPriceUsd
      : Number(formatUnits(amount.shares, vault.shareDecimals)) * sharePrice * assetPriceUsd;
  }

  function requireBelow(own: Exposure, others: Iterable<Exposure>): void {
    const counts: Record<string, (other: Exposure) => boolean> = {
      wallet: ({ isOfWallet, isRebalance }) => isOfWallet && !isRebalance,
      vault: ({ chainId, vault }) => chainId === own.chainId && vault === own.vault,
      total: ({ isRebalance }) => !isRebalance,
    };
    const all = [...others];
    for (const { scope, limit_usd: limitUsd } of caps()) {
      const isCounted = counts[scope];
      if (!isCounted?.(own)) continue;
      const heldUsd = toCents(all.filter(isCounted).reduce((sum, { usd }) => sum + usd, 0));
      if (toCents(heldUsd + own.usd) <= limitUsd) continue;
      throw new DepositCapReachedError({
        detail: `With ${toCents(own.usd)} USD more, deposits would exceed the cap of this ${scope}.`,
        details: { scope, limitUsd, heldUsd },
      });
    }
  }

  return {
    job: {
      name: 'deposit-limits',
      intervalMs,
      run: async () => {
        limits = await read();
        return 'done';
      },
    },
    paused: () => limits.flatMap(({ kind, scope }) => (kind === 'pause' ? [scope] : [])),
    requireOpen({ chain, vaultId }) {
      const scopes = ['deposits', `chain:${chain}`, `vault:${vaultId}`];
      const pauses = limits.filter(({ kind, scope }) => kind === 'pause' && scopes.includes(scope));
      if (pauses.length === 0) return;
      const reasons = pauses.map(({ scope, reason }) => (reason ? `${scope} (${reason})` : scope));
      throw new DepositsPausedError({
        detail: `The operator paused ${reasons.join(', ')}.`,
        details: { paused: pauses.map(({ scope }) => scope) },
        retryAfterSeconds: pausedRetryAfterSeconds,
      });
    },
    async requireRoom({ chainId, wallet, vaultAddress, assets, isRebalance }) {
      if (caps().length === 0) return;
      const others = await readExposures(db, sql`${wallet.toLowerCase()}`);
      const usd = usdOf(chainId, vaultAddress, { assets });
      const vault = vaultAddress.toLowerCase();
      requireBelow({ chainId, vault, isOfWallet: true, isRebalance, usd }, others.values());
    },
    submitWithin: (intentId, submit) =>
      caps().length === 0
        ? submit(db)
        : db.transaction().execute(async (transaction) => {
            await sql`select pg_advisory_xact_lock(hashtextextended('deposit caps', 0))`.execute(transaction);
            if (!(await submit(transaction))) return false;
            const wallet = sql`(select wallet from intent where intent_id = ${intentId})`;
            const exposures = await readExposures(transaction, wallet);
            const own = exposures.get(intentId);
            exposures.delete(intentId);
            if (own) requireBelow(own, exposures.values());
            return true;
          }),
  };
}

const toCents = (usd: number) => Math.round(usd * 100) / 100;

const unknown = (why: string) =>
  new UpstreamUnavailableError({
    detail: `${why}, so the caps of deposits cannot be checked. Redeem works.`,
    details: { dependency: 'deposit-caps' },
    retryAfterSeconds: 60,
  });
