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

/** A database that is filled with reports before a server starts on it. */
export interface BenchDatabase {
  readonly name: string;
  readonly where: Filled;
  /** Replace the reports by reports of this many vaults; no server may run on it meanwhile. */
  fill(count: number): Promise<void>;
  drop(): Promise<void>;
}

/** Create an empty one: in PostgreSQL where that runs, else embedded. */
export async function createBenchDatabase(): Promise<BenchDatabase> {
  const { name, where, drop } = await (isPostgresReachable() ? onPostgres() : embedded());
  return {
    name,
    where,
    fill: async (count) => {
      const database = await openDatabase(where);
      try {
        const measured = await measure(count, createDatabaseSnapshotStore(database));
        const reports = createDatabaseReportStore(database);
        await reports.save(syntheticChainId, Math.floor(Date.now() / 1_000), measured, []);
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
async function measure(
  count: number,
  snapshots: ReturnType<typeof createDatabaseSnapshotStore>,
): Promise<StoredReport[]> {
  const now = Math.floor(Date.now() / 1_000);
  const vaults = syntheticVaults(0, count);
  const ids = await snapshots.register(
    vaults.map(({ vaultId, entry: { address } }) => ({ vaultId, chainId: syntheticChainId, address })),
  );
  const inputs = vaults.map((vault) =>
    measureInput({ ...vault, id: ids.get(vault.vaultId)! }, syntheticSeries(vault, historyHours, now), now),
  );
  const options = { now, minTvlUsd: 100_000, maxProbeAgeSeconds: 21_600 };
  return measureVaults(inputs, options);
}
