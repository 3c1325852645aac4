import type { DepositLimit } from '@yield-vault/execution-relay';
import type { VaultDiscovery } from '@yield-vault/vault-discovery';
import { Gauge, type Registry } from 'prom-client';

export type MeasuredDiscovery = Pick<VaultDiscovery, 'chainStates'>;

/** Add the metrics of what discovery serves. */
export function measureDiscovery(discovery: MeasuredDiscovery, registry: Registry, prefix: string): void {
  const registers = [registry];
  new Gauge({
    name: `${prefix}vaults`,
    help: 'Vaults by chain. Discover may return listed vaults; unlisted ones fail a gate. The chain contradicts rejected entries; those that are vaults count as unlisted too.',
    labelNames: ['chain', 'state'],
    registers,
    collect() {
      for (const { chain, vaults, listed, rejected } of discovery.chainStates()) {
        this.set({ chain, state: 'listed' }, listed);
        this.set({ chain, state: 'unlisted' }, vaults - listed);
        this.set({ chain, state: 'rejected' }, rejected);
      }
    },
  });
  new Gauge({
    name: `${prefix}snapshot_age_seconds`,
    help: 'Age of the newest snapshot behind the ranking of a chain; absent before the first.',
    labelNames: ['chain'],
    registers,
    collect() {
      this.reset();
      for (const { chain, newestSnapshot } of discovery.chainStates())
        if (newestSnapshot !== undefined)
          this.set({ chain }, Math.max(0, Date.now() / 1_000 - newestSnapshot));
    },
  });
}

/** Add the metric of the limits of deposits. @returns a function that shows them */
export function measureDepositLimits(
  registry: Registry,
  prefix: string,
): (limits: readonly DepositLimit[]) => void {
  const gauge = new Gauge({
    name: `${prefix}deposit_limit_usd`,
    help: 'Caps of deposits by scope; 0 for a pause. Absent where deposits are not limited.',
    labelNames: ['scope'],
    registers: [registry],
  });
  return (limits) => {
    gauge.reset();
    for (const { scope, limit_usd } of limits) gauge.set({ scope }, limit_usd);
  };
}
