import type { IntentCount } from '@yield-vault/execution-relay';
import { Gauge, type Registry } from 'prom-client';
import { cacheFor, withTimeout } from '@yield-vault/server';
import { countSweeps, type SweepCounter } from '../../infrastructure/measure-infrastructure.js';

const readDeadlineMs = 1_000;
// Nothing limits how often metrics are read.
const countAgeMs = 5_000;
const openStates = ['reserved', 'simulated', 'submitted', 'included'];
const finalStates = ['confirmed', 'failed', 'expired'];

/**
 * Add the metrics of the intent ledger, which all processes share.
 *
 * @returns counts a run of the sweeper
 */
export function measureIntents(
  countIntents: () => Promise<readonly IntentCount[]>,
  registry: Registry,
  prefix: string,
): SweepCounter {
  const registers = [registry];
  const read = cacheFor(countAgeMs, countIntents);
  const counts = () => withTimeout(read(), readDeadlineMs, undefined);
  new Gauge({
    name: `${prefix}intents`,
    help: 'Intents of all processes by state; final ones of the last day. Absent while the database does not respond.',
    labelNames: ['state'],
    registers,
    async collect() {
      const found = await counts();
      this.reset();
      if (!found) return;
      for (const state of [...openStates, ...finalStates])
        this.set({ state }, found.find((each) => each.state === state)?.count ?? 0);
    },
  });
  new Gauge({
    name: `${prefix}oldest_open_intent_seconds`,
    help: 'Age of the oldest intent without a final state; 0 without any.',
    registers,
    async collect() {
      const open = (await counts())?.filter(({ state }) => openStates.includes(state)) ?? [];
      this.set(Math.max(0, ...open.map(({ oldestSeconds }) => oldestSeconds)));
    },
  });
  return countSweeps(registry, `${prefix}intent_sweeps_total`, 'Runs of the intent sweeper in this process.');
}
