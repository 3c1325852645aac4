import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { openDatabase } from '@yield-vault/database';
import {
  createDatabaseReportStore,
  createDatabaseSnapshotStore,
  measureVaults,
} from '@yield-vault/vault-discovery';
import type { Defer } from './harness.js';
import { startDatabase } from './service.js';
import { chainId, measureOptions, syntheticInputs } from './synthetic-vaults.js';

const entry = fileURLToPath(new URL('../dist/server.js', import.meta.url));

export type MeasuredServer = Awaited<ReturnType<typeof startServer>>;

/** Start the API in a process of its own, with reports of some vaults and without rate limits. */
export async function startServer(vaults: number, env: Readonly<Record<string, string>>, defer: Defer) {
  const url = await startDatabase(defer);
  await fill(url, vaults);
  const variables = JSON.stringify({ DATABASE_URL: url, ...env });
  // The server writes its log as usual; this benchmark does not read it.
  const child = fork(entry, [variables], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const exited = once(child, 'exit');
  defer(async () => {
    child.disconnect();
    await exited;
  });
  // Client and server would take turns on each core. Where the system cannot pin them, they still do.
  if (availableParallelism() > 1)
    [process.pid, child.pid].forEach((pid, core) =>
      spawnSync('taskset', ['--all-tasks', '--cpu-list', '--pid', String(core), String(pid)]),
    );
  const failed = exited.then(() => {
    throw new Error('The server of the bench ended');
  });
  const [[apiUrl, rawUrl]] = (await Promise.race([once(child, 'message'), failed])) as [[string, string]];
  return {
    apiUrl,
    rawUrl,
    /** Read the longest delay of its event loop since the last call, in milliseconds. */
    readDelay: async () => {
      child.send('delay');
      const [delayMs] = (await once(child, 'message')) as [number];
      return delayMs;
    },
  };
}

/** Save reports as the sampler would have computed them. */
async function fill(url: string, count: number): Promise<void> {
  const database = await openDatabase({ url });
  try {
    const now = Math.floor(Date.now() / 1_000);
    const inputs = syntheticInputs(count, now);
    const ids = await createDatabaseSnapshotStore(database).register(
      inputs.map(({ vault: { vaultId, entry } }) => ({ vaultId, chainId, address: entry.address })),
    );
    const reports = await measureVaults(
      inputs.map((input) => ({ ...input, vault: { ...input.vault, id: ids.get(input.vault.vaultId)! } })),
      { ...measureOptions, now },
    );
    await createDatabaseReportStore(database).save(chainId, now, reports, []);
  } finally {
    await database.close();
  }
}
