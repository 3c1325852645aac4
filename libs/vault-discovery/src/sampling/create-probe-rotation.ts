import type { Prober } from '../capability/create-prober.js';
import type { TrackedVault } from '../chain/sample-block.js';
import type { Capability, CapabilityStore } from '../ports.js';

/** Vaults without a verdict are simulated soon after they joined, but not thousands of them at once. */
const mostFirstProbes = 200;
/** Verdicts are kept after so many: what fails later does not cost them. */
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

/** Sees to it that every vault has a fresh verdict, a few vaults at a time. */
export interface ProbeRotation {
  /** Take over the stored verdicts of vaults. */
  adopt(vaults: readonly TrackedVault[]): Promise<void>;
  /** Simulate those whose turn it is. */
  turn(vaults: readonly TrackedVault[], block: bigint, signal: AbortSignal): Promise<void>;
  capability(vault: number): Capability | undefined;
  /** Fraction of the assets that could leave now. */
  liquidity(vault: number): number | undefined;
}

/** Begin without verdicts. */
export function createProbeRotation(deps: ProbeRotationDeps): ProbeRotation {
  const { prober, store, now } = deps;
  const intervalMs = deps.probeIntervalSeconds * 1_000;
  const verdicts = new Map<number, Capability>();
  /** When each vault had its turn last, verdict or not. */
  const turnedAt = new Map<number, number>();
  let liquidity: ReadonlyMap<number, number> = new Map();
  let liquidityAt = -Infinity;

  // A clock that was set back must not keep vaults from their turn.
  const isOver = (at: number, ms: number) => Math.abs(now() - at) >= ms;

  const due = (vaults: readonly TrackedVault[]): TrackedVault[] => {
    const first = vaults.filter(({ id }) => !turnedAt.has(id)).slice(0, mostFirstProbes);
    const share = Math.min(1, deps.sampleIntervalSeconds / deps.probeIntervalSeconds);
    const again = vaults
      .filter(({ id }) => turnedAt.has(id) && isOver(turnedAt.get(id)!, intervalMs))
      .sort((a, b) => turnedAt.get(a.id)! - turnedAt.get(b.id)!)
      .slice(0, Math.ceil(vaults.length * share));
    return [...first, ...again];
  };

  return {
    adopt: async (vaults) => {
      for (const capability of await store.read(vaults.map(({ id }) => id))) {
        verdicts.set(capability.vault, capability);
        turnedAt.set(capability.vault, capability.checkedAt * 1_000);
      }
    },
    turn: async (vaults, block, signal) => {
      const chosen = due(vaults);
      for (let start = 0; start < chosen.length; start += probesPerStep) {
        const step = chosen.slice(start, start + probesPerStep);
        const found = await prober.probe(step, block, signal);
        await store.save(found);
        for (const capability of found) verdicts.set(capability.vault, capability);
        for (const { id } of step) turnedAt.set(id, now());
      }
      if (!isOver(liquidityAt, liquidityIntervalMs)) return;
      liquidity = await prober.liquidity(vaults, block);
      liquidityAt = now();
    },
    capability: (vault) => verdicts.get(vault),
    liquidity: (vault) => liquidity.get(vault),
  };
}
