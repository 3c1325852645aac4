import { randomInt } from 'node:crypto';
import type { Prober } from '../capability/create-prober.js';
import type { TrackedVault } from '../catalogue/check-vaults.js';
import { hourSeconds } from '@yield-vault/vault-metrics';
import type { Capability, CapabilityStore, ExitState, ExitStore } from '../ports.js';

/** First simulations in one refresh: new vaults are simulated soon, but not thousands of them at once. */
const mostFirstProbes = 200;
/** Results are stored after each part, so a later failure does not lose them. */
const probesPerStep = 50;

export interface ProbeRotationDeps {
  readonly prober: Prober;
  readonly store: CapabilityStore;
  readonly exits: ExitStore;
  readonly sampleIntervalSeconds: number;
  readonly probeIntervalSeconds: number;
  /** The last block at least an hour before a block; undefined before the chain began. */
  readonly hourBefore: (block: bigint) => Promise<bigint | undefined>;
  /** Milliseconds, as Date.now. */
  readonly now: () => number;
  /** From 0 to 1. */
  readonly random?: () => number;
}

type Refresh = (vaults: readonly TrackedVault[], block: bigint, signal: AbortSignal) => Promise<void>;

/** Keeps the simulations of every vault fresh, a few vaults at a time. */
export interface ProbeRotation {
  /** Load the stored results of vaults. */
  loadResults(vaults: readonly TrackedVault[]): Promise<void>;
  /** Simulate a deposit and redeem of the vaults that are due. */
  readonly refreshDue: Refresh;
  /** Measure the exits that are due: each about once an hour, spread over the hour. */
  readonly refreshExits: Refresh;
  capability(vault: number): Capability | undefined;
  exit(vault: number): ExitState | undefined;
}

/** Create a rotation without results. */
export function createProbeRotation(deps: ProbeRotationDeps): ProbeRotation {
  const { prober, store, exits, sampleIntervalSeconds, hourBefore, now } = deps;
  const { random = () => randomInt(1_000) / 1_000 } = deps;
  const capabilities = new Map<number, Capability>();
  const states = new Map<number, ExitState>();

  /** Work on the vaults that are due, in parts. */
  const createTurns = (intervalSeconds: number, work: Refresh) => {
    /** The last attempt of each vault, with or without a result. Milliseconds. */
    const attemptedAt = new Map<number, number>();
    // Absolute, because the clock may have been set back.
    const isOver = (at: number) => Math.abs(now() - at) >= intervalSeconds * 1_000;
    const due = (vaults: readonly TrackedVault[]): TrackedVault[] => {
      const first = vaults.filter(({ id }) => !attemptedAt.has(id)).slice(0, mostFirstProbes);
      const share = Math.min(1, sampleIntervalSeconds / intervalSeconds);
      const again = vaults
        .filter(({ id }) => attemptedAt.has(id) && isOver(attemptedAt.get(id)!))
        .sort((a, b) => attemptedAt.get(a.id)! - attemptedAt.get(b.id)!)
        .slice(0, Math.ceil(vaults.length * share));
      return [...first, ...again];
    };
    const refresh: Refresh = async (vaults, block, signal) => {
      const chosen = due(vaults);
      for (let start = 0; start < chosen.length; start += probesPerStep) {
        const step = chosen.slice(start, start + probesPerStep);
        await work(step, block, signal);
        // Up to a quarter earlier next time, so that no owner knows at which block.
        for (const { id } of step) attemptedAt.set(id, now() - random() * intervalSeconds * 250);
      }
    };
    return { attemptedAt, refresh };
  };

  const probes = createTurns(deps.probeIntervalSeconds, async (vaults, block, signal) => {
    const found = await prober.probe(vaults, block, signal);
    await store.save(found);
    for (const capability of found) capabilities.set(capability.vault, capability);
  });
  const readExits = async (ids: readonly number[]) => {
    for (const [id, state] of await exits.read(ids)) states.set(id, state);
  };
  /** Two hours decide that a vault has no exit, so a new vault is measured in the past hour, too. */
  const measurePast = async (vaults: readonly TrackedVault[], block: bigint, signal: AbortSignal) => {
    try {
      const earlier = vaults.length > 0 ? await hourBefore(block) : undefined;
      const found = earlier === undefined ? [] : await prober.exits(vaults, earlier, signal);
      return found.map((sample) => ({ ...sample, checkedAt: sample.checkedAt - hourSeconds }));
    } catch {
      // The node does not keep that state. The next hour decides.
      signal.throwIfAborted();
      return [];
    }
  };
  const measurements = createTurns(hourSeconds, async (vaults, block, signal) => {
    const added = vaults.filter(({ id }) => !states.has(id));
    const past = await measurePast(added, block, signal);
    const found = await prober.exits(vaults, block, signal);
    await exits.save([...past, ...found]);
    await readExits(found.map(({ vault }) => vault));
  });

  return {
    loadResults: async (vaults) => {
      const ids = vaults.map(({ id }) => id);
      for (const capability of await store.read(ids)) {
        capabilities.set(capability.vault, capability);
        probes.attemptedAt.set(capability.vault, capability.checkedAt * 1_000);
      }
      await readExits(ids);
      for (const id of ids) {
        const state = states.get(id);
        if (state) measurements.attemptedAt.set(id, state.newest.checkedAt * 1_000);
      }
    },
    refreshDue: probes.refresh,
    refreshExits: measurements.refresh,
    capability: (vault) => capabilities.get(vault),
    exit: (vault) => states.get(vault),
  };
}
