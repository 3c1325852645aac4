import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '@yield-vault/database';
import { createTemporaryPostgres, isPostgresReachable } from '@yield-vault/database/testing';
import { createDatabaseReportStore, createDatabaseSnapshotStore } from '@yield-vault/vault-discovery';
import { measureVaults, type StoredReport } from '@yield-vault/vault-discovery';
import {
  measureInput,
  syntheticChainId,
  syntheticSeries,
  syntheticVaults,
} from '../synthetic/synthetic-vaults.js';
import type { Filled } from './start-servers.js';

const historyHours = 31 * 24;
const vaultsAtOnce = 1_000;

/** A database that reports are put into before a server is started on it. */
export interface BenchDatabase {
  readonly name: string;
  readonly where: Filled;
  /** Measure and save more vaults until there are so many; no server may run on it meanwhile. */
  fillUpTo(count: number): Promise<void>;
  drop(): Promise<void>;
}

/** Create an empty one: in PostgreSQL where that runs, else embedded. */
export async function createBenchDatabase(): Promise<BenchDatabase> {
  const { name, where, drop } = await (isPostgresReachable() ? onPostgres() : embedded());
  let filled = 0;
  return {
    name,
    where,
    fillUpTo: async (count) => {
      const database = await openDatabase(where);
      try {
        const snapshots = createDatabaseSnapshotStore(database);
        const reports = createDatabaseReportStore(database);
        while (filled < count) {
          const until = Math.min(count, filled + vaultsAtOnce);
          const measured = await measureSome(filled, until, snapshots);
          await reports.save(syntheticChainId, Math.floor(Date.now() / 1_000), measured, []);
          filled = until;
        }
      } finally {
        await database.close();
      }
    },
    drop,
  };
}

type Place = Pick<BenchDatabase, 'name' | 'where' | 'drop'>;

async function onPostgres(): Promise<Place> {
  const { url, drop } = await createTemporaryPostgres();
  return { name: 'PostgreSQL', where: { url }, drop };
}

async function embedded(): Promise<Place> {
  const home = await mkdtemp(join(tmpdir(), 'bench-discover-'));
  return {
    name: 'PGlite',
    where: { directory: join(home, 'database') },
    drop: () => rm(home, { recursive: true, force: true }),
  };
}

/** Numbers as the sampler would have computed them. */
async function measureSome(
  from: number,
  until: number,
  snapshots: ReturnType<typeof createDatabaseSnapshotStore>,
): Promise<StoredReport[]> {
  const now = Math.floor(Date.now() / 1_000);
  const vaults = syntheticVaults(from, until);
  const ids = await snapshots.register(
    vaults.map(({ vaultId, entry: { address } }) => ({ vaultId, chainId: syntheticChainId, address })),
  );
  const inputs = vaults.map((vault) =>
    measureInput({ ...vault, id: ids.get(vault.vaultId)! }, syntheticSeries(vault, historyHours, now), now),
  );
  const options = { now, minTvlUsd: 100_000, maxProbeAgeSeconds: 21_600 };
  return measureVaults(inputs, options);
}
