import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openTestDatabase } from '@yield-vault/database/testing';
import { loadConfig } from '@yield-vault/deployment';
import { createLogger } from '@yield-vault/server';
import { Registry } from 'prom-client';
import { generatePrivateKey } from 'viem/accounts';
import { startWorker } from './start-worker.js';

const nowhere = 'http://127.0.0.1:1';
const { deployment: local, registry } = loadConfig({
  YIELD_VAULT_CONFIG: resolve(__dirname, '../../../config/local.yaml'),
  BASE_RPC_URL: nowhere,
  BASE_BUNDLER_URL: nowhere,
  ETHEREUM_RPC_URL: nowhere,
  ETHEREUM_BUNDLER_URL: nowhere,
  RELAY_MODE: 'chain',
  PAYMENTS: 'on',
  FACILITATOR_PRIVATE_KEY: generatePrivateKey(),
});
const deployment = { ...local, keeper: { ...local.keeper, privateKey: generatePrivateKey() } };

describe('startWorker', () => {
  it('default: runs every job; one that fails is counted, and delays no other', async () => {
    const database = await openTestDatabase();
    const metrics = new Registry();
    const logger = createLogger({ level: 'silent', secrets: [] });
    const worker = startWorker(deployment, { registry, database, logger, metrics });
    const read = async (name: string) => (await metrics.getSingleMetric(`yield_vault_${name}`)!.get()).values;
    /** Jobs that had a run with this outcome. */
    const jobs = async (outcome: string) =>
      (await read('job_runs_total'))
        .filter(({ labels, value }) => labels['outcome'] === outcome && value > 0)
        .map(({ labels }) => labels['job_name']);
    const shared = [
      ...['funds-gauges', 'intent-archive', 'ledger-gauges', 'payment-retention', 'ranking'],
      'retention',
    ];
    const ofChain = (key: string) => ['intents', 'past', 'payments'].map((name) => `${name}:${key}`);
    const healthy = [...shared, ...ofChain('base'), ...ofChain('ethereum')].sort();
    try {
      while ((await jobs('succeeded')).length < healthy.length) await pause(20);
      while ((await jobs('failed')).length < 6) await pause(20);
      expect((await jobs('succeeded')).sort()).toEqual(healthy);
      expect((await jobs('failed')).sort()).toEqual([
        ...['follow:base', 'follow:ethereum', 'price:base', 'price:ethereum'],
        ...['sample:base', 'sample:ethereum'],
      ]);
      expect(new Set((await read('job_parked')).map(({ value }) => value))).toEqual(new Set([0]));
      const followed = { base: null, ethereum: null };
      const down = { status: 'degraded', leader: true, database: 'ok', parked: [], followed };
      expect(await worker.health()).toEqual(down);
      await worker.stop();
      expect(await read('job_parked')).toEqual([]);
      expect(await worker.health()).toEqual({ ...down, status: 'ok', leader: false });
      await database.close();
      expect(await worker.health()).toMatchObject({ status: 'degraded', database: 'down' });
    } finally {
      await worker.stop();
      await database.close();
    }
  });
});
