import { daySeconds } from '@yield-vault/vault-metrics';
import type { PublicClient } from 'viem';
import { inParallel } from '../batching.js';
import type { TrackedVault } from '../catalogue/check-vaults.js';
import { createGroupReader, type GroupReader } from '../governance/group-reader.js';
import type { ExitSample, HoldersOf } from '../ports.js';
import { checkLock, type LockCheck } from './check-lock.js';
import type { BlockSimulator } from './create-simulator.js';
import type { SlotFinder } from './create-slot-finder.js';
import { readAvailable, readTotals, type VaultTotals } from './read-vault-assets.js';
import { limitByHolders, readShares } from './redeem-as-holder.js';
import { highest, simulateExit } from './simulate-exit.js';

export interface ExitMeterDeps {
  readonly rpc: PublicClient;
  readonly readGasLimit: number;
  readonly now: () => number;
  readonly findSlot: SlotFinder;
  /** Without it, no exit is compared with what real holders get. */
  readonly holdersOf?: HoldersOf;
}

/** Measures what holders of vaults could redeem at the block of the simulator. */
export type ExitMeter = (
  vaults: readonly TrackedVault[],
  block: bigint,
  simulator: BlockSimulator,
  signal: AbortSignal,
) => Promise<ExitSample[]>;

type Measured = Pick<ExitSample, 'method' | 'instant' | 'exitBps' | 'accrues' | 'curve'>;

/** As many as fit into one HTTP batch. */
export const concurrentSimulations = 50;
const lockMs = daySeconds * 1_000;
const unknown: Measured = { method: 'unknown', instant: null, exitBps: null, accrues: null, curve: [] };

/** Create a meter. It checks once a day whether a vault locks deposits; such an exit is unknown. */
export function createExitMeter(deps: ExitMeterDeps): ExitMeter {
  const { rpc, readGasLimit, now, findSlot, holdersOf } = deps;
  const locks = new Map<number, { readonly at: number; readonly check: LockCheck }>();

  const lockOf = async (id: number, run: () => Promise<LockCheck | undefined>) => {
    const known = locks.get(id);
    // Absolute, because the clock may have been set back.
    if (known && Math.abs(now() - known.at) < lockMs) return known.check;
    const check = await run();
    if (check) locks.set(id, { at: now(), check });
    // A vault that takes no more deposits keeps its last check.
    return check ?? known?.check;
  };

  const measure = async (
    vault: TrackedVault,
    totals: VaultTotals,
    simulator: BlockSimulator,
    read: GroupReader,
  ): Promise<Measured> => {
    const { entry, id } = vault;
    const { totalAssets, totalSupply } = totals;
    if (totalAssets === 0n || totalSupply === 0n) return unknown;
    const asset = await findSlot(entry.asset.address, simulator);
    if (!asset) return unknown;
    const lock = await lockOf(id, () => checkLock(simulator, entry, asset, totalSupply));
    if (!lock) return unknown;
    const { exitBps, accrues } = lock;
    if (!lock.isFree) return { ...unknown, accrues };
    const share = await findSlot(entry.address, simulator);
    const simulated =
      share && (await simulateExit(simulator, entry, { asset, share }, totals, BigInt(readGasLimit)));
    if (!simulated) {
      const available = await readAvailable(read, vault, totalAssets);
      return { ...unknown, ...available, exitBps, accrues };
    }
    // A deposit of today may cost more to redeem than shares without a past.
    return { ...simulated, method: 'simulated', exitBps: highest([exitBps, simulated.exitBps]), accrues };
  };

  return async (vaults, block, simulator, signal) => {
    const read = createGroupReader({ rpc, readGasLimit }, block);
    const all = await readTotals(read, vaults);
    const held = holdersOf && (await readShares(read, vaults, holdersOf));
    const pairs = vaults.map((vault, index) => ({ vault, totals: all[index]!, holders: held?.[index] }));
    return inParallel(pairs, concurrentSimulations, async ({ vault, totals, holders }) => {
      signal.throwIfAborted();
      const exit = await measure(vault, totals, simulator, read);
      const measured = await limitByHolders(simulator, vault, holders, totals, exit, readGasLimit);
      const { totalAssets } = totals;
      return { vault: vault.id, checkedAt: Math.floor(now() / 1_000), totalAssets, ...measured };
    });
  };
}
