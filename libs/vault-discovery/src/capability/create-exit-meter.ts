import type { PublicClient } from 'viem';
import type { TrackedVault } from '../catalogue/check-vaults.js';
import { createGroupReader } from '../governance/group-reader.js';
import type { ExitSample, HoldersOf } from '../ports.js';
import { checkLock } from './check-lock.js';
import type { BlockSimulator } from './create-simulator.js';
import type { SlotFinder } from './create-slot-finder.js';
import { probeVault } from './probe-vault.js';
import { type AssetReader, readAvailable, readTotals, type VaultTotals } from './read-vault-assets.js';
import { limitByHolders, readShares } from './redeem-as-holder.js';
import { simulateEach } from './simulate-each.js';
import { highest, simulateExit } from './simulate-exit.js';

export interface ExitMeterDeps {
  readonly rpc: PublicClient;
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

const unknown: Measured = { method: 'unknown', instant: null, exitBps: null, accrues: null, curve: [] };

/** Create a meter. The exit of a vault that locks deposits is unknown. */
export function createExitMeter(deps: ExitMeterDeps): ExitMeter {
  const { rpc, now, findSlot, holdersOf } = deps;

  const measure = async (
    vault: TrackedVault,
    totals: VaultTotals,
    simulator: BlockSimulator,
    reader: AssetReader,
  ): Promise<Measured> => {
    const { entry } = vault;
    const { totalAssets, totalSupply } = totals;
    if (totalAssets === 0n || totalSupply === 0n) return unknown;
    const asset = await findSlot(entry.asset.address, simulator);
    if (!asset) return unknown;
    const lock = await checkLock(simulator, entry, asset, totalSupply);
    if (!lock) return unknown;
    const { isFree, exitBps, accrues } = lock;
    // A lock of deposits hurts nobody where nobody can enter. A hostile vault could refuse these deposits only.
    const isClosed = lock.isClosed && (await probeVault(simulator, vault, asset))?.failedStep === 'deposit';
    if (!isFree && !isClosed) return { ...unknown, accrues };
    const share = await findSlot(entry.address, simulator);
    const simulated = share && (await simulateExit(simulator, entry, { asset, share }, totals));
    if (!simulated) {
      if (isClosed) return { ...unknown, accrues };
      const available = await readAvailable(reader, vault, totalAssets);
      return { ...unknown, ...available, exitBps, accrues };
    }
    // Use the higher cost: a fresh deposit may pay a fee that overridden shares do not.
    return { ...simulated, method: 'simulated', exitBps: highest([exitBps, simulated.exitBps]), accrues };
  };

  return async (vaults, block, simulator, signal) => {
    const read = createGroupReader(rpc, block);
    const all = await readTotals(read, vaults);
    const held = holdersOf && (await readShares(read, vaults, holdersOf));
    const pairs = vaults.map((vault, index) => ({ vault, totals: all[index]!, holders: held?.[index] }));
    return simulateEach(pairs, simulator, signal, async ({ vault, totals, holders }) => {
      const exit = await measure(vault, totals, simulator, { rpc, block, read });
      const measured = await limitByHolders(simulator, vault, holders, totals, exit);
      const { totalAssets } = totals;
      return { vault: vault.id, checkedAt: Math.floor(now() / 1_000), totalAssets, ...measured };
    });
  };
}
