import { asUpstreamError } from '@yield-vault/chains';
import type { Hex } from 'viem';
import type { TrackedVault } from '../catalogue/check-vaults.js';
import { readGasLimit } from '../chain/read-contracts.js';
import type { Capability, ExitSample, HoldersOf } from '../ports.js';
import { createExitMeter } from './create-exit-meter.js';
import { createSimulator, type Simulator, type SimulatorDeps } from './create-simulator.js';
import { createSlotFinder } from './create-slot-finder.js';
import { probeVault } from './probe-vault.js';
import { simulateEach } from './simulate-each.js';

/** Simulates deposits into vaults. Nothing is sent to the chain. */
export interface Prober {
  /**
   * Simulate a small deposit and the redeem of all its shares, at one block.
   *
   * @returns one result per vault; none for a vault that cannot be simulated, because the node cannot override state or
   * the storage of the asset's balances is unknown, or because it does not respond in time
   * @throws {UpstreamUnavailableError} when the node does not respond, to any simulation; there are no results then
   * @throws the reason of the signal when it is aborted
   */
  probe(vaults: readonly TrackedVault[], block: bigint, signal: AbortSignal): Promise<readonly Capability[]>;
  /**
   * Measure what holders of each vault could redeem at one block.
   *
   * @returns one sample per vault, whose method is `unknown` where neither a simulation nor the protocol shows it; none
   * when the node cannot override state or does not respond in time
   * @throws {UpstreamUnavailableError} when the node does not respond, to any simulation
   * @throws the reason of the signal when it is aborted
   */
  exits(vaults: readonly TrackedVault[], block: bigint, signal: AbortSignal): Promise<readonly ExitSample[]>;
}

export interface ProberDeps extends Omit<SimulatorDeps, 'readGasLimit'> {
  /** Milliseconds since 1970; the clock of the machine by default. */
  readonly now?: () => number;
  /** Without it, no exit is compared with what real holders get. */
  readonly holdersOf?: HoldersOf;
}

/** Bytecode that returns 42. */
const returns42: Hex = '0x602a60005260206000f3';

/** Create the prober of a chain. */
export function createProber({ now = Date.now, holdersOf, ...deps }: ProberDeps): Prober {
  const { chain, rpc, logger } = deps;
  const simulatorAt = createSimulator({ ...deps, readGasLimit });
  const findSlot = createSlotFinder();
  const logged = new Set<string>();
  let isOverridable = false;

  const logOnce = (message: string, fields: object = {}, about = '') => {
    const key = `${message} ${about}`;
    if (!logged.has(key)) logger.warn({ chain, ...fields }, message);
    logged.add(key);
  };

  /** Some nodes refuse or ignore overrides: their results would be meaningless. */
  const canOverride = async ({ holder, run }: Simulator) => {
    if (isOverridable) return true;
    const stateOverride = [{ address: holder, code: returns42 }];
    const response = await run({ to: holder, data: '0x', stateOverride });
    isOverridable = response !== undefined && BigInt(response) === 42n;
    if (!isOverridable) logOnce('the node has no state overrides: vaults are not simulated');
    return isOverridable;
  };

  const measureExits = createExitMeter({ rpc, now, findSlot, holdersOf });

  return {
    probe: async (vaults, block, signal) => {
      const simulator = simulatorAt(block);
      if (!(await canOverride(simulator))) return [];
      const probeOne = async (vault: TrackedVault): Promise<Capability[]> => {
        const { address, symbol } = vault.entry.asset;
        const slot = await findSlot(address, simulator);
        const message = `Balance slot of ${symbol} not found: vaults of this asset are not simulated.`;
        if (!slot) logOnce(message, { asset: address, symbol }, address);
        const finding = slot && (await probeVault(simulator, vault, slot));
        const checkedAt = Math.floor(now() / 1_000);
        return finding ? [{ vault: vault.id, checkedAt, block, ...finding }] : [];
      };
      return (await simulateEach(vaults, simulator, signal, probeOne)).flat();
    },
    exits: async (vaults, block, signal) => {
      const simulator = simulatorAt(block);
      if (!(await canOverride(simulator))) return [];
      try {
        return await measureExits(vaults, block, simulator, signal);
      } catch (error) {
        signal.throwIfAborted();
        throw asUpstreamError(error, `rpc:${chain}`) ?? error;
      }
    },
  };
}
