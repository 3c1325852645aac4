import { asUpstreamError } from '@yield-vault/chains';
import { randomBytes } from 'node:crypto';
import { isViemError, type LoggerPort } from '@yield-vault/protocol';
import { getAddress, type Hex, type PublicClient, toHex } from 'viem';
import { inParallel } from '../batching.js';
import type { TrackedVault } from '../catalogue/check-vaults.js';
import type { Capability } from '../ports.js';
import { createLiquidityReader } from './create-liquidity-reader.js';
import { createSlotFinder } from './create-slot-finder.js';
import { type Finding, probeVault } from './probe-vault.js';
import type { Simulator } from './simulate-deposit.js';

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
   * Read the fraction of its assets that each vault could pay out now.
   *
   * @returns by vault id, 0 to 1; unknown ones are left out
   * @throws {UpstreamUnavailableError} when the node does not respond
   */
  liquidity(vaults: readonly TrackedVault[], block: bigint): Promise<ReadonlyMap<number, number>>;
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

// As many as fit into one HTTP batch.
const concurrentProbes = 50;
/** Bytecode that returns 42. */
const returns42: Hex = '0x602a60005260206000f3';

/** Create the prober of a chain. */
export function createProber({ chain, rpc, readGasLimit, logger, now = Date.now }: ProberDeps): Prober {
  const dependency = `rpc:${chain}`;
  // Random, because a vault could treat known addresses better.
  const [holder, sender] = [randomAddress(), randomAddress()];
  const findSlot = createSlotFinder();
  const readLiquidity = createLiquidityReader({ rpc, readGasLimit });
  const logged = new Set<string>();
  let isOverridable = false;

  const logOnce = (message: string, fields: object = {}, about = '') => {
    const key = `${message} ${about}`;
    if (!logged.has(key)) logger.warn({ chain, ...fields }, message);
    logged.add(key);
  };

  const simulatorAt = (blockNumber: bigint): Simulator => ({
    holder,
    run: async (call) => {
      try {
        const gas = BigInt(readGasLimit);
        const { data } = await rpc.call({ ...call, account: sender, blockNumber, gas });
        return data;
      } catch (error) {
        const outage = asUpstreamError(error, dependency);
        if (outage) throw outage;
        // The full message contains the whole request.
        const reason = isViemError(error) ? error.shortMessage : String(error);
        logOnce('the node refused to simulate a deposit', { reason });
        return undefined;
      }
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

  const probeOne = async (simulator: Simulator, vault: TrackedVault): Promise<Finding | undefined> => {
    const { address, symbol } = vault.entry.asset;
    const slot = await findSlot(address, simulator);
    if (slot) return probeVault(simulator, vault, slot);
    const message = 'no vault of this asset is simulated: nobody knows where it keeps balances';
    logOnce(message, { asset: address, symbol }, address);
    return undefined;
  };

  return {
    probe: async (vaults, block, signal) => {
      const simulator = simulatorAt(block);
      if (!(await canOverride(simulator))) return [];
      const probeListed = async (vault: TrackedVault): Promise<Capability[]> => {
        signal.throwIfAborted();
        const finding = await probeOne(simulator, vault);
        const checkedAt = Math.floor(now() / 1_000);
        return finding ? [{ vault: vault.id, checkedAt, block, ...finding }] : [];
      };
      return (await inParallel(vaults, concurrentProbes, probeListed)).flat();
    },
    liquidity: (vaults, block) =>
      readLiquidity(vaults, block).catch((error: unknown) => {
        throw asUpstreamError(error, dependency) ?? error;
      }),
  };
}

/** Create an address that no contract can know in advance. */
export const randomAddress = () => getAddress(toHex(randomBytes(20)));
