import { storeChainEvents, type DatabaseHandle, type ShareMovementKind } from '@yield-vault/database';
import { databaseBackends } from '@yield-vault/database/testing';
import { CompiledQuery, sql } from 'kysely';
import { createHoldersReader } from './read-holders.js';

const [chainId, other] = [8453, 1];
const [vault, second] = [`0x${'a'.repeat(40)}`, `0x${'b'.repeat(40)}`] as const;

describe.each(databaseBackends())('createHoldersReader on $name', ({ open }) => {
  let database: DatabaseHandle;
  let logIndex = 0;
  beforeAll(async () => {
    database = await open();
    for (const chain_id of [BigInt(chainId), BigInt(other)])
      await database.db
        .insertInto('followed_chain')
        .values({ chain_id, block: 1_000n, first_block: 0n, block_hash: '0x', block_time: 0n })
        .execute();
  });
  afterAll(() => database.close());

  const store = (
    moved: readonly (readonly [wallet: string, kind: ShareMovementKind, shares: bigint, block: bigint])[],
    of: string = vault,
    on = chainId,
  ) =>
    storeChainEvents(database.db, on, {
      movements: moved.map(([wallet, kind, shares, blockNumber]) => {
        logIndex += 1;
        return { wallet, vault: of, kind, shares, assets: undefined, blockNumber, logIndex };
      }),
      operations: [],
    });

  it('default: large and old positions first, users of the service before, nobody who left', async () => {
    await store([
      ['0xnew', 'deposit', 500n, 990n],
      ['0xold', 'deposit', 500n, 10n],
      ['0xuser', 'transfer-in', 200n, 10n],
      ['0xleft', 'deposit', 900n, 10n],
      ['0xleft', 'withdraw', 400n, 20n],
      ['0xleft', 'transfer-out', 500n, 30n],
    ]);
    await store([['0xelse', 'deposit', 900n, 10n]], second);
    await store([['0xfar', 'deposit', 900n, 10n]], vault, other);
    const operation = { nonce: 1n, userOpHash: '0x1', txHash: '0x1', blockNumber: 10n, logIndex: 0 };
    await storeChainEvents(database.db, chainId, {
      movements: [],
      operations: [{ ...operation, wallet: '0xuser', gasUsdc: undefined }],
    });
    const unknown = `0x${'C'.repeat(40)}` as const;
    expect(await createHoldersReader(database)(chainId, [`0x${'A'.repeat(40)}`, second, unknown])).toEqual(
      new Map([
        [vault, ['0xuser', '0xold', '0xnew']],
        [second, ['0xelse']],
        [unknown.toLowerCase(), []],
      ]),
    );
  });

  it('behavior: the movements of a vault are read by its index', async () => {
    await sql`
      insert into share_movement
      select ${chainId}, '0xw' || n, n, 1, '0x' || (n % 100), 'deposit', 1, null
      from generate_series(1, 50000) as n`.execute(database.db);
    await sql`analyze share_movement`.execute(database.db);
    const statements: CompiledQuery[] = [];
    const db = database.db.withPlugin({
      transformQuery: ({ node, queryId }) => {
        statements.push(database.db.getExecutor().compileQuery(node, queryId));
        return node;
      },
      transformResult: ({ result }) => Promise.resolve(result),
    });
    await createHoldersReader({ db })(chainId, [vault, second]);
    const { sql: text, parameters } = statements.at(-1)!;
    const { rows } = await database.db.executeQuery<Record<'QUERY PLAN', string>>(
      CompiledQuery.raw(`explain ${text}`, [...parameters]),
    );
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('share_movement_of_vault');
  });
});
