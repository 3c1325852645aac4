import { asUpstreamError } from '@yield-vault/chains';
import { randomBytes } from 'node:crypto';
import { isViemError, type LoggerPort } from '@yield-vault/protocol';
import { getAddress, type Hex, type PublicClient, toHex } from 'viem';
import { inParallel } from '../batching.js';
import type { TrackedVault } from '../catalogue/check-vaults.js';
import type { Capability, ExitSample } from '../ports.js';
import { concurrentSimulations, createExitMeter } from './create-exit-meter.js';
import { createSlotFinder } from './create-slot-finder.js';
import { probeVault } from './probe-vault.js';
import type { BlockSimulator, Simulator } from './simulate-deposit.js';

/** Simulates deposits into vaults. Nothing is sent to the chain. */
export interface Prober {
  /**
   * Simulate a small deposit and the redeem of all its shares, at one block.
   *
   * @returns one result per vault; none for a vault that cannot be simulated, because the node cannot override state or
   * the storage of the asset's balances is unknown
   * @throws {UpstreamUnavailableError} when the node does not respond; there are no results then
   * @throws the reason of the signal when it is aborted
   */
  probe(vaults: readonly TrackedVault[], block: bigint, signal: AbortSignal): Promise<readonly Capability[]>;
  /**
   * Measure what holders of each vault could redeem at one block.
   *
   * @returns one sample per vault, whose method is `unknown` where neither a simulation nor the protocol shows it; none
   * when the node cannot override state
   * @throws {UpstreamUnavailableError} when the node does not respond
   * @throws the reason of the signal when it is aborted
   */
  exits(vaults: readonly TrackedVault[], block: bigint, signal: AbortSignal): Promise<readonly ExitSample[]>;
}

export interface ProberDeps {
  /** Key of the chain, for errors and logs. */
  readonly chain: string;
  readonly rpc: PublicClient;
  /** Gas limit of one simulated call. */
  readonly readGasLimit: number;
  readonly logger: LoggerPort;
  /** Milliseconds since 1970; the clock of the machine by default. */
  readonly now?: () => number;
}

/** Bytecode that returns 42. */
const returns42: Hex = '0x602a60005260206000f3';

/** Create the prober of a chain. */
export function createProber({ chain, rpc, readGasLimit, logger, now = Date.now }: ProberDeps): Prober {
  const dependency = `rpc:${chain}`;
  // Random, because a vault could treat known addresses better.
  const [holder, sender] = [randomAddress(), randomAddress()];
  const findSlot = createSlotFinder();
  const logged = new Set<string>();
  let isOverridable = false;

  const logOnce = (message: string, fields: object = {}, about = '') => {
    const key = `${message} ${about}`;
    if (!logged.has(key)) logger.warn({ chain, ...fields }, message);
    logged.add(key);
  };

  const unlessRefused = async <T>(what: string, simulation: Promise<T>): Promise<T | undefined> => {
    try {
      return await simulation;
    } catch (error) {
      const outage = asUpstreamError(error, dependency);
      if (outage) throw outage;
      // The full message contains the whole request.
      const reason = isViemError(error) ? error.shortMessage : String(error);
      logOnce(`the node refused to simulate ${what}`, { reason });
      return undefined;
    }
  };

  const simulatorAt = (blockNumber: bigint): BlockSimulator => ({
    holder,
    run: async (call) => {
      const gas = BigInt(readGasLimit);
      const request = { gas, ...call, account: sender, blockNumber };
      return (await unlessRefused('a deposit or redeem', rpc.call(request)))?.data;
    },
    runBlocks: async (blocks) => {
      const gas = BigInt(readGasLimit);
      const request = blocks.map(({ time, calls, ...block }, index) => ({
        ...block,
        blockOverrides: { number: blockNumber + BigInt(index + 1), time },
        calls: calls.map((call) => ({ ...call, account: sender, gas })),
      }));
      const simulation = rpc.simulateBlocks({ blockNumber, blocks: request });
      const results = await unlessRefused('several blocks: no exit is known', simulation);
      return results?.map(({ calls }) =>
        calls.map(({ status, data }) => (status === 'success' ? data : undefined)),
      );
    },
  });

  /** Some nodes refuse or ignore overrides: their results would be meaningless. */
  const canOverride = async ({ run }: Simulator) => {
    if (isOverridable) return true;
    const stateOverride = [{ address: holder, code: returns42 }];
    const response = await run({ to: holder, data: '0x', stateOverride });
    isOverridable = response !== undefined && BigInt(response) === 42n;
    if (!isOverridable) logOnce('the node has no state overrides: vaults are not simulated');
    return isOverridable;
  };

  const slotOf = async ({ entry }: TrackedVault, simulator: Simulator) => {
    const { address, symbol } = entry.asset;
    const balanceSlot = await findSlot(address, simulator);
    if (balanceSlot) return { address, balanceSlot };
    const message = 'no vault of this asset is simulated: nobody knows where it keeps balances';
    logOnce(message, { asset: address, symbol }, address);
    return undefined;
  };

  const measureExits = createExitMeter({ rpc, readGasLimit, now, findSlot, assetSlotOf: slotOf });

  return {
    probe: async (vaults, block, signal) => {
      const simulator = simulatorAt(block);
      if (!(await canOverride(simulator))) return [];
      const probeListed = async (vault: TrackedVault): Promise<Capability[]> => {
        signal.throwIfAborted();
        const slot = await slotOf(vault, simulator);
        const finding = slot && (await probeVault(simulator, vault, slot.balanceSlot));
        const checkedAt = Math.floor(now() / 1_000);
        return finding ? [{ vault: vault.id, checkedAt, block, ...finding }] : [];
      };
      return (await inParallel(vaults, concurrentSimulations, probeListed)).flat();
    },
    exits: async (vaults, block, signal) => {
      const simulator = simulatorAt(block);
      if (!(await canOverride(simulator))) return [];
      try {
        return await measureExits(vaults, block, simulator, signal);
      } catch (error) {
        signal.throwIfAborted();
        throw asUpstreamError(error, dependency) ?? error;
      }
    },
  };
}

/** Create an address that no contract can know in advance. */
export const randomAddress = () => getAddress(toHex(randomBytes(20)));
