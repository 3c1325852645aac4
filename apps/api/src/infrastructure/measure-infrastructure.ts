import { readFunds, type ActiveChains, type ChainFunds, type UpstreamObserver } from '@yield-vault/chains';
import { cacheFor } from '@yield-vault/server';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Address } from 'viem';
import type { DatabasePort } from '../ports.js';

const fundsAgeMs = 30_000;

/** Add the metrics of upstreams. */
export function measureUpstreams(registry: Registry, prefix: string): UpstreamObserver {
  const registers = [registry];
  const duration = new Histogram({
    name: `${prefix}upstream_request_duration_seconds`,
    help: 'Time of a JSON-RPC call, retries included. Outcome down: the upstream gave no usable response.',
    labelNames: ['dependency', 'outcome'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  const breaker = new Gauge({
    name: `${prefix}upstream_breaker_open`,
    help: '1 while requests to an upstream are paused, because it failed too often.',
    labelNames: ['dependency'],
    registers,
  });
  const seen = new Set<string>();
  return {
    onCall: (dependency, seconds, isUp) =>
      duration.observe({ dependency, outcome: isUp ? 'up' : 'down' }, seconds),
    onBreaker: (dependency, isOpen) => {
      breaker.set({ dependency }, isOpen ? 1 : 0);
      // Rates miss a series that begins at 1.
      if (!seen.has(dependency)) duration.zero({ dependency, outcome: 'down' });
      seen.add(dependency);
    },
  };
}

/** Add the metric of the database pool. */
export function measureDatabase(database: DatabasePort, registry: Registry, prefix: string): void {
  new Gauge({
    name: `${prefix}database_connections`,
    help: 'Connections of the pool: open, idle, and requests waiting for one.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      for (const [state, count] of Object.entries<number>({ ...database.pool() })) this.set({ state }, count);
    },
  });
}

/**
 * Add the metrics of the ETH that the service needs on each chain, and of the paymaster's price.
 *
 * @param gasAccount - pays the gas of the embedded facilitator
 */
export function measureFunds(
  { all }: Pick<ActiveChains, 'all'>,
  gasAccount: Address | undefined,
  registry: Registry,
  prefix: string,
): void {
  const weiPerEther = 1e18;
  const readers = all.map((chain) => ({
    chain: chain.key,
    read: cacheFor(fundsAgeMs, () => readFunds(chain, gasAccount).catch((): ChainFunds => ({}))),
  }));
  new Gauge({
    name: `${prefix}funds_ether`,
    help: 'ETH of the service: deposit and stake of our paymaster, and the account that pays gas. Absent while the node does not respond.',
    labelNames: ['chain', 'account'],
    registers: [registry],
    async collect() {
      const found = await Promise.all(
        readers.map(async ({ chain, read }) => ({ chain, funds: await read() })),
      );
      this.reset();
      for (const { chain, funds } of found)
        for (const account of ['paymasterDeposit', 'paymasterStake', 'gasAccount'] as const) {
          const wei = funds[account];
          if (wei !== undefined) this.set({ chain, account }, Number(wei) / weiPerEther);
        }
    },
  });
  new Gauge({
    name: `${prefix}paymaster_price_seconds`,
    help: "Seconds until our paymaster's stored price expires; negative afterwards.",
    labelNames: ['chain'],
    registers: [registry],
    async collect() {
      this.reset();
      for (const { chain, read } of readers) {
        const { paymasterPriceValidUntil } = await read();
        if (paymasterPriceValidUntil !== undefined)
          this.set({ chain }, paymasterPriceValidUntil - Date.now() / 1000);
      }
    },
  });
}

/** Counts a run of a sweeper. */
export type SweepCounter = (outcome: 'succeeded' | 'failed') => void;

/** Add the counter of a sweeper. */
export function countSweeps(registry: Registry, name: string, help: string): SweepCounter {
  const sweeps = new Counter({ name, help, labelNames: ['outcome'], registers: [registry] });
  for (const outcome of ['succeeded', 'failed']) sweeps.inc({ outcome }, 0);
  return (outcome) => sweeps.inc({ outcome });
}
