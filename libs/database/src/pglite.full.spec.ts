import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { sql } from 'kysely';
import { startScript } from '../test/start-script.js';
import { DatabaseLockedError } from './errors.js';
import { openDatabase } from './open-database.js';

jest.setTimeout(120_000);

/** Another process that opens the directory and inserts from an id on. */
const startInserting = (directory: string, from: number): ChildProcess =>
  startScript('insert-vaults.ts', directory, String(from));

/** Read its acknowledgements and kill it, without a chance to clean up, after so many lines. */
async function killAfter(child: ChildProcess, lineCount: number): Promise<string[]> {
  const lines: string[] = [];
  const exited = once(child, 'exit');
  for await (const line of createInterface({ input: child.stdout! })) {
    lines.push(line);
    if (lines.length === lineCount) child.kill('SIGKILL');
  }
  await exited;
  return lines;
}

describe('PGlite in a directory', () => {
  let directory: string;

  beforeEach(async () => {
    directory = join(await mkdtemp(join(tmpdir(), 'yield-vault-database-')), 'nested', 'data');
  });
  afterEach(() => rm(join(directory, '..', '..'), { recursive: true, force: true }));

  it('default: creates the directory, keeps its rows, gives up the directory on close', async () => {
    const first = await openDatabase({ directory });
    expect(first.kind).toBe('pglite');
    await first.db.insertInto('vault').values({ vault_id: 1n, chain_id: 1n, address: '0x1' }).execute();
    await first.close();
    await expect(stat(`${directory}.lock`)).rejects.toMatchObject({ code: 'ENOENT' });
    const second = await openDatabase({ directory });
    expect(await second.db.selectFrom('vault').select('address').execute()).toEqual([{ address: '0x1' }]);
    await second.close();
  });

  it('error: DatabaseLockedError while another process has the directory', async () => {
    const child = startInserting(directory, 1);
    await once(createInterface({ input: child.stdout! }), 'line');
    child.stdout!.resume();
    try {
      await expect(openDatabase({ directory })).rejects.toMatchObject({
        name: 'DatabaseLockedError',
        code: 'DATABASE_LOCKED',
        directory,
      });
    } finally {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  });

  it('error: UpstreamUnavailableError for every statement once the lock was lost', async () => {
    const database = await openDatabase({ directory });
    await rm(`${directory}.lock`, { recursive: true });
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    await expect(database.ping()).rejects.toMatchObject({
      code: 'UPSTREAM_UNAVAILABLE',
      cause: expect.any(DatabaseLockedError),
    });
    await database.close();
  });

  it('behavior: a directory that was left half unpacked is unpacked anew', async () => {
    await (await openDatabase({ directory })).close();
    await expect(stat(`${directory}.unpacking`)).rejects.toMatchObject({ code: 'ENOENT' });
    await writeFile(`${directory}.unpacking`, '');
    await rm(join(directory, 'global'), { recursive: true });
    const database = await openDatabase({ directory });
    expect(await database.db.selectFrom('vault').selectAll().execute()).toEqual([]);
    await database.close();
    await expect(stat(`${directory}.unpacking`)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('behavior: runs without fsync, so a commit need not survive a power loss', async () => {
    const database = await openDatabase({ directory });
    const { rows } = await sql`select current_setting('fsync') as fsync`.execute(database.db);
    expect(rows).toEqual([{ fsync: 'off' }]);
    await database.close();
  });

  it('behavior: no acknowledged row is lost when the process is killed in the middle of inserts', async () => {
    let acknowledged = 0;
    for (const lineCount of [150, 1_300]) {
      const lines = await killAfter(startInserting(directory, acknowledged + 1), lineCount);
      expect(lines[0]).toBe('open');
      const last = Number(lines.at(-1));
      const database = await openDatabase({ directory });
      const { count } = await database.db
        .selectFrom('vault')
        .select((e) => e.fn.countAll<bigint>().as('count'))
        .executeTakeFirstOrThrow();
      expect(Number(count)).toBeGreaterThanOrEqual(last);
      acknowledged = Number(count);
      await database.close();
    }
  });
});
