import type { PublicClient } from 'viem';
import type { TrackedVault } from '../chain/sample-block.js';
import type { Capability, LoggerPort } from '../ports.js';

/** Finds out what a depositor could do with a vault now. Nothing is sent: every answer is a simulation. */
export interface Prober {
  /**
   * Simulate a small deposit and the redeem of everything that it gave, at one block.
   *
   * @returns one verdict per vault; none for a vault that could not be simulated (the node cannot override state, or
   * nobody knows where the asset keeps its balances)
   * @throws {UpstreamUnavailableError} when the node does not answer; there is then no verdict at all
   */
  probe(vaults: readonly TrackedVault[], block: bigint, signal: AbortSignal): Promise<readonly Capability[]>;
  /**
   * Read which fraction of its assets each vault could pay out now.
   *
   * @returns by id of the vault, 0 to 1; nothing where it is unknown
   * @throws {UpstreamUnavailableError}
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

/** Make the prober of a chain. Nothing is asked yet. */
export function createProber(_deps: ProberDeps): Prober {
  throw new Error('not built yet');
}
