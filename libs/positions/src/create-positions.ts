import { readFromNode } from '@yield-vault/chains';
import { silentLogger, type LoggerPort, type StatusResponse } from '@yield-vault/protocol';
import type { Job } from '@yield-vault/database';
import type { Address } from 'viem';
import { loadHoldings, type HoldingsSource } from './load-holdings.js';
import { createPastReader, type PastLimits, type PastReader } from './past-reader.js';
import type { PositionsChain, ScanStore, VaultsPort } from './ports.js';
import { shareReads } from './share-reads.js';
import { summarise } from './summarise.js';

/** Dependencies of `createPositions`. */
export interface PositionsDependencies {
  readonly chains: { readonly all: readonly PositionsChain[] };
  /** Clients for log queries, with circuit breakers of their own and without retries; by default those of `chains`. */
  readonly logs?: { readonly all: readonly Pick<PositionsChain, 'key' | 'rpc'>[] };
  readonly vaults: VaultsPort;
  readonly store: ScanStore;
  /** How logs are read, by chain key. */
  readonly options?: Readonly<Record<string, PositionsOptions>>;
  readonly logger?: LoggerPort;
}

/** How the logs of one chain are read. */
export interface PositionsOptions extends Partial<PastLimits> {
  /** First block that can hold an event of a wallet; default 0. */
  readonly logsFromBlock?: bigint;
  /** Whether the chain may become another one, as local chains and forks do; its scans then start again. */
  readonly mayBeReplaced?: boolean;
}

/** The positions of wallets, with their cost and earnings. */
export interface Positions {
  /**
   * Report the positions of a wallet on every chain. It reads the past for at most two seconds
   * and ten log queries. The rest is read in the background; until then the positions are `pending`.
   *
   * @param signal - aborted when nobody waits for the result any more
   * @throws {UpstreamUnavailableError} when any chain cannot be read. Without it the totals would be too low.
   */
  status(userAddress: Address, signal?: AbortSignal): Promise<StatusResponse>;
  /** Read the past of all wallets, for `startJobs` of `@yield-vault/database`: one job for each chain. */
  readonly jobs: readonly Job[];
}

// Leaves a second for the values.
const pastMs = 2_000;
const intervalMs = 1_000;
const defaults: PastLimits = { blocks: 10_000, requestsPerSecond: 50, concurrency: 4 };

/**
 * Create the reader of positions.
 *
 * @example
 * const positions = createPositions({ chains, vaults: discovery, store: createDatabaseScanStore(database) });
 * const jobs = startJobs(() => positions.jobs, { leader: { database, name: 'past' }, logger });
 * const { totalValueUsd } = await positions.status('0x…');
 */
export function createPositions(dependencies: PositionsDependencies): Positions {
  const { chains, logs = chains, vaults, store, options = {}, logger = silentLogger } = dependencies;
  const sources = chains.all.map((chain): HoldingsSource & { readonly reader: PastReader } => {
    const { logsFromBlock = 0n, mayBeReplaced = false, ...limits } = options[chain.key] ?? {};
    const client = logs.all.find(({ key }) => key === chain.key) ?? chain;
    const reader = createPastReader(chain, client, store, { ...defaults, ...limits }, logger);
    return { chain, store, reader, past: shareReads(reader), fromBlock: logsFromBlock, mayBeReplaced };
  });

  return {
    status: async (userAddress, signal) => {
      const late = AbortSignal.timeout(pastMs);
      const waiting = signal ? AbortSignal.any([signal, late]) : late;
      const loaded = await Promise.all(
        sources.map((source) => {
          const held = loadHoldings(source, vaults.list(source.chain.key), userAddress, { waiting, signal });
          return readFromNode(source.chain, held);
        }),
      );
      return summarise(
        loaded.flatMap(({ holdings }) => holdings),
        loaded.reduce((sum, { gasPaidUsd }) => sum + gasPaidUsd, 0),
      );
    },
    jobs: sources.map(({ reader, chain }) => ({
      name: `past:${chain.key}`,
      intervalMs,
      run: () => reader.readUnfinished(),
    })),
  };
}
