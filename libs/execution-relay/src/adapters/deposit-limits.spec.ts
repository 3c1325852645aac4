import type { DatabaseHandle, DepositLimitTable, ShareMovementTable } from '@yield-vault/database';
import { openTestDatabase } from '@yield-vault/database/testing';
import {
  DepositCapReachedError,
  DepositsPausedError,
  sameHex,
  TransactionPendingError,
  UpstreamUnavailableError,
} from '@yield-vault/protocol';
import type { ExecutorHook } from '@yield-vault/smart-account';
import { testAccount, testKey } from '@yield-vault/testing';
import { sql, type Insertable } from 'kysely';
import { parseUnits, type Address } from 'viem';
import {
  buildIntent,
  chainId,
  deposit,
  depositPrevious,
  otherVault,
  owner,
  redeem,
  vault,
} from '../../test/support/build-intent.js';
import { createFakeChain } from '../../test/support/fake-chain.js';
import { caught, expectSent } from '../../test/support/outcomes.js';
import { catalogue, startRelay } from '../../test/support/start-relay.js';
import type { SimulatorPort } from '../ports.js';
import { createDatabaseIntentStore } from './database-intent-store.js';
import { openDepositLimits } from './deposit-limits.js';

const chain_id = BigInt(chainId);
// At this price the shares of a position are its worth in USD.
type PricedVaults = Parameters<typeof openDepositLimits>[0]['vaults'];
const priced: PricedVaults = {
  byAddress: (id, address) => {
    const found = catalogue.byAddress(id, address);
    return found && { ...found, sharePrice: 1, assetPriceUsd: 1 };
  },
};
const other = testAccount('other').address;
const amountOf = (usd: string): ExecutorHook => ({ ...deposit, amount: parseUnits(usd, 6) }) as ExecutorHook;

let database: DatabaseHandle;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterEach(async () => {
  for (const table of ['intent', 'followed_chain', 'user_operation', 'share_movement'] as const)
    await database.db.deleteFrom(table).execute();
  await database.db.deleteFrom('deposit_limit').execute();
});
afterAll(() => database.close());

const limit = (kind: DepositLimitTable['kind'], scope: string, limit_usd = 0) =>
  database.db.insertInto('deposit_limit').values({ kind, scope, limit_usd }).execute();
const follow = async (silentSeconds = 0) => {
  const seen_at = new Date(Date.now() - silentSeconds * 1000);
  const block_time = BigInt(Math.floor(Date.now() / 1000));
  await database.db
    .insertInto('followed_chain')
    .values({ chain_id, block: 1n, first_block: 0n, block_hash: '0x', block_time, seen_at })
    .execute();
};
let logs = 0;
/** Store a movement of shares, and that its wallet used the service. */
const move = async (
  wallet: string,
  usd: string,
  change: Partial<Insertable<ShareMovementTable>> = {},
  uses = true,
) => {
  logs += 1;
  const row = { chain_id, wallet: wallet.toLowerCase(), block: 1n, log_index: logs };
  await database.db
    .insertInto('share_movement')
    .values({
      ...row,
      vault: vault.vaultAddress.toLowerCase(),
      kind: 'deposit',
      shares: parseUnits(usd, 18),
      assets: null,
      ...change,
    })
    .execute();
  if (!uses) return;
  const operation = { user_op_hash: `0x${logs}`, nonce: 0n, tx_hash: '0x', gas_usdc: null };
  await database.db
    .insertInto('user_operation')
    .values({ ...row, ...operation })
    .execute();
};

/** A server: its limits, its relay, and a chain. */
async function setUp(options: { simulate?: SimulatorPort; vaults?: PricedVaults } = {}) {
  const { vaults = priced, ...rest } = options;
  const fake = createFakeChain();
  const limits = await openDepositLimits({ database, chains: { all: [fake.chain] }, vaults });
  const relay = startRelay(createDatabaseIntentStore(database, undefined, limits), fake.chains, {
    waitSeconds: 0,
    ...rest,
  });
  const execute = async (hook: ExecutorHook | readonly ExecutorHook[], by = 'owner') => {
    const operation = { sender: testAccount(by).address };
    return caught(relay.execute(await buildIntent({ hooks: [hook].flat(), operation, key: testKey(by) })));
  };
  const poll = () => limits.job.run(new AbortController().signal);
  return { fake, limits, relay, execute, poll };
}

describe('a pause', () => {
  it.each(['deposits', 'chain:base', `vault:${vault.vaultId}`])(
    'error: DepositsPausedError for a deposit while %s holds, until it is resumed',
    async (scope) => {
      await limit('pause', scope);
      const { fake, limits, relay, poll } = await setUp();
      const request = await buildIntent();
      const error = await caught(relay.execute(request));
      expect(error).toBeInstanceOf(DepositsPausedError);
      expect(error).toMatchObject({ retryAfterSeconds: 60, details: { paused: [scope] } });
      expect(limits.paused()).toEqual([scope]);
      expectSent(fake, 0);
      await database.db.deleteFrom('deposit_limit').execute();
      await poll();
      expect(await relay.execute(request)).toMatchObject({ result: 'executed' });
    },
  );

  it('behavior: a rebalance counts as a deposit into its target, and a redeem never asks', async () => {
    await limit('pause', `vault:${otherVault.vaultId}`);
    const { execute } = await setUp();
    expect(await execute([redeem, depositPrevious])).toBeInstanceOf(DepositsPausedError);
    expect(await execute(deposit)).toMatchObject({ result: 'executed' });
    await limit('pause', 'deposits');
    const { execute: executePaused } = await setUp();
    expect(await executePaused(redeem)).toMatchObject({ result: 'executed' });
  });

  it('behavior: also one that begins during the simulation', async () => {
    let poll: () => Promise<unknown> = () => Promise.resolve();
    const simulate: SimulatorPort = {
      simulate: async () => {
        await limit('pause', 'deposits');
        await poll();
        return { success: true };
      },
    };
    const server = await setUp({ simulate });
    ({ poll } = server);
    expect(await server.execute(deposit)).toBeInstanceOf(DepositsPausedError);
    expectSent(server.fake, 0);
  });

  it.each(['in the ledger', 'lost by the ledger'])(
    'attack: an intent that may have been sent, %s, stays pending, and its result is returned',
    async (where) => {
      const { fake, relay, poll } = await setUp();
      const request = await buildIntent();
      fake.setMode('hold');
      await caught(relay.execute(request));
      if (where !== 'in the ledger') await database.db.deleteFrom('intent').execute();
      await limit('pause', 'deposits');
      await poll();
      expect(await caught(relay.execute(request))).toBeInstanceOf(TransactionPendingError);
      fake.includeHeld();
      expect(await relay.execute(request)).toMatchObject({ receipt: { status: 'success' } });
      expectSent(fake, 1);
    },
  );

  it('behavior: the last state stays while the database is down', async () => {
    await limit('pause', 'deposits');
    const { limits, poll } = await setUp();
    await unreadable('deposit_limit', async () => {
      await expect(poll()).rejects.toThrow();
      expect(limits.paused()).toEqual(['deposits']);
    });
  });
});

describe('a cap', () => {
  it.each(['wallet', 'vault', 'total'])('default: %s, to the cent', async (scope) => {
    await follow();
    await move(owner.address, '90');
    await limit('cap', scope, 100);
    const { fake, execute } = await setUp();
    const error = await execute(amountOf('10.01'));
    expect(error).toBeInstanceOf(DepositCapReachedError);
    expect(error).toMatchObject({ details: { scope, limitUsd: 100, heldUsd: 90 } });
    expect(await database.db.selectFrom('intent').selectAll().execute()).toEqual([]);
    expectSent(fake, 0);
    expect(await execute(amountOf('10'))).toMatchObject({ result: 'executed' });
  });

  it('behavior: counts what came by operations of the service, less what left', async () => {
    await follow();
    await move(other, '70');
    await move(other, '20', { kind: 'withdraw' });
    await move(other, '5', { kind: 'transfer-in', vault: otherVault.vaultAddress.toLowerCase() });
    await move(other, '500', { block: 2n }, false);
    await move(testAccount('stranger').address, '1000', {}, false);
    await move(owner.address, '10');
    const { limits, poll } = await setUp();
    const planned = { vault, wallet: owner.address, isRebalance: false };
    for (const [scope, heldUsd] of [
      ['wallet', 10],
      ['vault', 60],
      ['total', 60],
    ] as const) {
      await database.db.deleteFrom('deposit_limit').execute();
      await limit('cap', scope, 10);
      await poll();
      const error = await caught(limits.require({ ...planned, assets: 1_000_000n }));
      expect(error).toMatchObject({ details: { scope, limitUsd: 10, heldUsd } });
    }
  });

  it('attack: a deposit that waits for its turn below the caps ends when a pause begins meanwhile', async () => {
    await follow();
    await limit('cap', 'total', 100);
    const { limits, poll } = await setUp();
    let submitted = false;
    let waiting: Promise<unknown> = Promise.resolve();
    await database.db.transaction().execute(async (transaction) => {
      await sql`select pg_advisory_xact_lock(hashtextextended('deposit caps', 0))`.execute(transaction);
      const store = () => Promise.resolve((submitted = true));
      const planned = { intentId: '0x01', chain: 'base', vaultId: vault.vaultId } as const;
      waiting = caught(limits.submit(planned, store));
      await new Promise((resolve) => setTimeout(resolve, 200));
      await limit('pause', 'deposits');
      await poll();
    });
    expect(await waiting).toBeInstanceOf(DepositsPausedError);
    expect(submitted).toBe(false);
  });

  it('attack: two executes below the cap and together above it do not both pass', async () => {
    await follow();
    await limit('cap', 'total', 15);
    const servers = [await setUp(), await setUp()];
    const results = await Promise.all([servers[0]!.execute(deposit), servers[1]!.execute(deposit, 'other')]);
    expect(results.filter((result) => result instanceof DepositCapReachedError)).toHaveLength(1);
    expect(servers.flatMap(({ fake }) => fake.sent)).toHaveLength(1);
  });

  it('behavior: an open deposit counts until its event is stored, and once', async () => {
    await follow();
    await limit('cap', 'total', 25);
    const { fake, relay, execute } = await setUp();
    const request = await buildIntent();
    await relay.execute(request);
    const heldOf = async () => ((await execute(amountOf('20'))) as DepositCapReachedError).details['heldUsd'];
    expect(await heldOf()).toBe(10);
    await move(owner.address, '10');
    await database.db.updateTable('user_operation').set({ user_op_hash: fake.sent[0]! }).execute();
    expect(await heldOf()).toBe(10);
    expect(await relay.execute(request)).toMatchObject({ result: 'already_executed' });
  });

  it('behavior: a rebalance fills only the cap of its target, by what the wallet holds', async () => {
    await follow();
    await move(owner.address, '40');
    await limit('cap', 'wallet', 40);
    await limit('cap', 'total', 40);
    const { execute, poll } = await setUp();
    await limit('cap', 'vault', 39);
    await poll();
    expect(await execute([redeem, depositPrevious])).toMatchObject({
      details: { scope: 'vault', limitUsd: 39, heldUsd: 0 },
    });
    await database.db.updateTable('deposit_limit').set({ limit_usd: 40 }).execute();
    await poll();
    expect(await execute([redeem, depositPrevious])).toMatchObject({ result: 'executed' });
  });

  it.each([
    ['the events are stale', 400, priced],
    ['a vault that is held has no price', 0, { ...priced, byAddress: unpriced }],
  ] as const)('error: UpstreamUnavailableError where %s; a redeem passes', async (_, silent, vaults) => {
    await follow(silent);
    await move(owner.address, '1');
    await limit('cap', 'total', 1_000);
    const { fake, execute } = await setUp({ vaults });
    const error = await execute({ ...deposit, vault: otherVault.vaultAddress } as ExecutorHook);
    expect(error).toBeInstanceOf(UpstreamUnavailableError);
    expect(error).toMatchObject({ details: { dependency: 'deposit-caps' } });
    expectSent(fake, 0);
    expect(await execute(redeem)).toMatchObject({ result: 'executed' });
  });

  it('attack: a wallet that never used the service does not rebalance above the caps of wallet and total', async () => {
    await follow();
    await move(owner.address, '1000', {}, false);
    await limit('cap', 'wallet', 100);
    await limit('cap', 'total', 100);
    const { fake, execute } = await setUp();
    expect(await execute([redeem, depositPrevious])).toBeInstanceOf(DepositCapReachedError);
    expectSent(fake, 0);
  });

  it('attack: shares that no stored event explains do not rebalance above the cap of the target', async () => {
    await follow();
    await limit('cap', 'vault', 100);
    const { fake, execute } = await setUp();
    expect(await execute([redeem, depositPrevious])).toBeInstanceOf(Error);
    expectSent(fake, 0);
  });

  it('attack: a wallet with dust of a vault that the service does not know stops no deposit of another wallet', async () => {
    await follow();
    await move(other, '0.000000000000000001');
    await limit('cap', 'total', 1_000_000);
    const byAddress = (id: number, address: Address) =>
      sameHex(address, vault.vaultAddress) ? undefined : priced.byAddress(id, address);
    const { execute } = await setUp({ vaults: { byAddress } });
    expect(await execute({ ...deposit, vault: otherVault.vaultAddress } as ExecutorHook)).toMatchObject({
      result: 'executed',
    });
  });

  it('attack: a redeem passes although the tables of the caps cannot be read', async () => {
    await limit('cap', 'total', 0);
    const { execute } = await setUp();
    await unreadable('share_movement', async () => {
      expect(await execute(deposit)).toBeInstanceOf(Error);
      expect(await execute(redeem)).toMatchObject({ result: 'executed' });
    });
  });
});

async function unreadable(table: string, run: () => Promise<void>): Promise<void> {
  await database.db.schema.alterTable(table).renameTo('lost').execute();
  try {
    await run();
  } finally {
    await database.db.schema.alterTable('lost').renameTo(table).execute();
  }
}

function unpriced(id: number, address: `0x${string}`) {
  const found = priced.byAddress(id, address);
  return found?.vaultAddress === vault.vaultAddress ? { ...found, sharePrice: 0 } : found;
}
