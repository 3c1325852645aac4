import { asUpstreamError } from '@yield-vault/chains';
import { randomBytes } from 'node:crypto';
import { BaseError, getAddress, toHex, type Hex, type PublicClient } from 'viem';
import { inParallel } from '../chain/in-parallel.js';
import type { TrackedVault } from '../chain/sample-block.js';
import type { Capability, LoggerPort } from '../ports.js';
import { createSlotFinder } from './create-slot-finder.js';
import { createLiquidityReader } from './create-liquidity-reader.js';
import { probeVault, type Finding } from './probe-vault.js';
import type { Simulator } from './simulator.js';

/** Finds out what a depositor could do with a vault now. Nothing is sent: every answer is a simulation. */
export interface Prober {
  /**
   * Simulate a small deposit and the redeem of everything that it gave, at one block.
   *
   * @returns one verdict per vault; none for a vault that could not be simulated (the node cannot override state, or
   * nobody knows where the asset keeps its balances)
   * @throws {UpstreamUnavailableError} when the node does not answer; there is then no verdict at all
   * @throws the reason of the signal when it is aborted
   */
  probe(vaults: readonly TrackedVault[], block: bigint, signal: AbortSignal): Promise<readonly Capability[]>;
  /**
   * Read which fraction of its assets each vault could pay out now.
   *
   * @returns by id of the vault, 0 to 1; nothing where it is unknown
   * @throws {UpstreamUnavailableError} when the node does not answer
   */
  liquidity(vaults: readonly TrackedVault[], block: bigint): Promise<ReadonlyMap<number, number>>;
}

export interface ProberDeps {
  /** Key of the chain, for errors and logs. */
  readonly chain: string;
  readonly rpc: PublicClient;
  /** Most gas that one simulated call may use. */
  readonly readGasLimit: number;
  readonly logger: LoggerPort;
  /** Milliseconds since 1970; the clock of the machine by default. */
  readonly now?: () => number;
}

// As many as travel in one HTTP request.
const concurrentProbes = 50;
/** Returns 42. */
const returns42: Hex = '0x602a60005260206000f3';

/** Make the prober of a chain. Nothing is asked yet. */
export function createProber({ chain, rpc, readGasLimit, logger, now = Date.now }: ProberDeps): Prober {
  const dependency = `rpc:${chain}`;
  // A vault that knew them could behave well for them alone.
  const [holder, sender] = [randomAddress(), randomAddress()];
  const findSlot = createSlotFinder();
  const readLiquidity = createLiquidityReader({ rpc, readGasLimit });
  const told = new Set<string>();
  let isOverridable = false;

  const tellOnce = (message: string, fields: object = {}, about = '') => {
    const key = `${message} ${about}`;
    if (!told.has(key)) logger.warn({ chain, ...fields }, message);
    told.add(key);
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
        // The message of the error itself holds everything that was asked.
        const reason = error instanceof BaseError ? error.shortMessage : String(error);
        tellOnce('the node refused to simulate a deposit', { reason });
        return undefined;
      }
    },
  });

  /** Some nodes refuse overrides, some ignore them: a verdict of those would mean nothing. */
  const canOverride = async ({ run }: Simulator) => {
    if (isOverridable) return true;
    const stateOverride = [{ address: holder, code: returns42 }];
    const answer = await run({ to: holder, data: '0x', stateOverride });
    isOverridable = answer !== undefined && BigInt(answer) === 42n;
    if (!isOverridable) tellOnce('the node has no state overrides: vaults are not simulated');
    return isOverridable;
  };

  const probeOne = async (simulator: Simulator, vault: TrackedVault): Promise<Finding | undefined> => {
    const { address, symbol } = vault.entry.asset;
    const slot = await findSlot(address, simulator);
    if (slot) return probeVault(simulator, vault, slot);
    const message = 'no vault of this asset is simulated: nobody knows where it keeps balances';
    tellOnce(message, { asset: address, symbol }, address);
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

const randomAddress = () => getAddress(toHex(randomBytes(20)));
