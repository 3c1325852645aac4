import type { Prober } from '../capability/create-prober.js';
import type { TrackedVault } from '../catalogue/check-vaults.js';
import type { Capability, CapabilityStore } from '../ports.js';

/** First simulations in one refresh: new vaults are simulated soon, but not thousands of them at once. */
const mostFirstProbes = 200;
/** Results are stored after each part, so a later failure does not lose them. */
const probesPerStep = 50;
const liquidityIntervalMs = 3_600_000;

export interface ProbeRotationDeps {
  readonly prober: Prober;
  readonly store: CapabilityStore;
  readonly sampleIntervalSeconds: number;
  readonly probeIntervalSeconds: number;
  /** Milliseconds, as Date.now. */
  readonly now: () => number;
}

/** Keeps the simulation of every vault fresh, a few vaults at a time. */
export interface ProbeRotation {
  /** Load the stored results of vaults. */
  loadResults(vaults: readonly TrackedVault[]): Promise<void>;
  /** Simulate the vaults that are due, and read the liquidity of all of them once an hour. */
  refreshDue(vaults: readonly TrackedVault[], block: bigint, signal: AbortSignal): Promise<void>;
  capability(vault: number): Capability | undefined;
  /** Fraction of the assets that could leave now. */
  liquidity(vault: number): number | undefined;
}

/** Create a rotation without results. */
export function createProbeRotation(deps: ProbeRotationDeps): ProbeRotation {
  const { prober, store, now } = deps;
  const intervalMs = deps.probeIntervalSeconds * 1_000;
  const results = new Map<number, Capability>();
  /** The last attempt of each vault, with or without a result. Milliseconds. */
  const attemptedAt = new Map<number, number>();
  let liquidity: ReadonlyMap<number, number> = new Map();
  let liquidityAt = -Infinity;

  // Absolute, because the clock may have been set back.
  const isOver = (at: number, ms: number) => Math.abs(now() - at) >= ms;

  const due = (vaults: readonly TrackedVault[]): TrackedVault[] => {
    const first = vaults.filter(({ id }) => !attemptedAt.has(id)).slice(0, mostFirstProbes);
    const share = Math.min(1, deps.sampleIntervalSeconds / deps.probeIntervalSeconds);
    const again = vaults
      .filter(({ id }) => attemptedAt.has(id) && isOver(attemptedAt.get(id)!, intervalMs))
      .sort((a, b) => attemptedAt.get(a.id)! - attemptedAt.get(b.id)!)
      .slice(0, Math.ceil(vaults.length * share));
    return [...first, ...again];
  };

  return {
    loadResults: async (vaults) => {
      for (const capability of await store.read(vaults.map(({ id }) => id))) {
        results.set(capability.vault, capability);
        attemptedAt.set(capability.vault, capability.checkedAt * 1_000);
      }
    },
    refreshDue: async (vaults, block, signal) => {
      const chosen = due(vaults);
      for (let start = 0; start < chosen.length; start += probesPerStep) {
        const step = chosen.slice(start, start + probesPerStep);
        const found = await prober.probe(step, block, signal);
        await store.save(found);
        for (const capability of found) results.set(capability.vault, capability);
        for (const { id } of step) attemptedAt.set(id, now());
      }
      if (!isOver(liquidityAt, liquidityIntervalMs)) return;
      liquidity = await prober.liquidity(vaults, block);
      liquidityAt = now();
    },
    capability: (vault) => results.get(vault),
    liquidity: (vault) => liquidity.get(vault),
  };
}
