import { type ChainConfig, createActiveChains } from '@yield-vault/chains';
import { type DatabaseOptions, openDatabase } from '@yield-vault/database';
import { createInterface } from 'node:readline';
import { createDatabaseCapabilityStore } from '../src/adapters/database-capability-store.js';
import { createDatabaseReportStore } from '../src/adapters/database-report-store.js';
import { createDatabaseSnapshotStore } from '../src/adapters/database-snapshot-store.js';
import { createPricer } from '../src/prices/create-pricer.js';
import type { RegistryEntry } from '../src/types.js';
import { createVaultSampler } from '../src/vault-sampler.js';

/** Options of a sampling process, as JSON in its first argument. */
export interface SamplerProcess {
  readonly database: DatabaseOptions;
  readonly chain: ChainConfig;
  readonly entries: readonly RegistryEntry[];
  readonly backfillHours: number;
}

/**
 * Sample until killed. Waits for a line on standard input before it touches anything, and says on standard output when
 * it begins to write snapshots, and when everything is read.
 */
async function run({ database: where, chain, entries, backfillHours }: SamplerProcess): Promise<void> {
  const say = (line: string) => void process.stdout.write(`${line}\n`);
  for await (const _ of createInterface({ input: process.stdin })) break;
  const database = await openDatabase(where);
  const snapshots = createDatabaseSnapshotStore(database);
  const reports = createDatabaseReportStore(database);
  createVaultSampler({
    chains: createActiveChains({ chains: { base: chain } }).all,
    catalogue: { entries: () => Promise.resolve(entries) },
    stores: {
      snapshots: {
        ...snapshots,
        save: async (...writing) => {
          say('saving');
          await snapshots.save(...writing);
        },
      },
      capabilities: createDatabaseCapabilityStore(database),
      reports: {
        ...reports,
        save: async (...saving) => {
          const version = await reports.save(...saving);
          say('reported');
          return version;
        },
      },
    },
    pricerOf: (active, assets) => createPricer({ chain: active, assets, logger, now: Date.now }),
    options: {
      ...{ sampleIntervalSeconds: 1, backfillHours, hoursPerSave: 4, minTvlUsd: 0, multicallBatchSize: 200 },
      ...{ readGasLimit: 10_000_000, probeIntervalSeconds: 600, maxProbeAgeSeconds: 6_000 },
      hourlyRetentionDays: 400,
      onReplacedChain: 'discard',
    },
    logger,
  }).start();
}

const logger = {
  info: () => undefined,
  warn: (fields: object, message: string) => console.error(message, fields),
  error: (fields: object, message: string) => console.error(message, fields),
};

void run(JSON.parse(process.argv[2]!) as SamplerProcess);
