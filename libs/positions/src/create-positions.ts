import { readFromNode } from '@yield-vault/chains';
import type { DatabaseHandle, Job } from '@yield-vault/database';
import { silentLogger, type LoggerPort, type StatusResponse } from '@yield-vault/protocol';
import type { Address } from 'viem';
import { loadHoldings } from './load-holdings.js';
import { createPastJob, type PastLimits } from './past-job.js';
import type { FollowerPort, PositionsChain, StatusCall, VaultsPort } from './ports.js';
import { summarise } from './summarise.js';

/** Dependencies of `createPositions`. */
export interface PositionsDependencies {
  readonly chains: { readonly all: readonly PositionsChain[] };
  /** Clients for log queries, with circuit breakers of their own and without retries; by default those of `chains`. */
  readonly logs?: { readonly all: readonly Pick<PositionsChain, 'key' | 'rpc'>[] };
  readonly vaults: VaultsPort;
  readonly database: Pick<DatabaseHandle, 'db'>;
  /** Stores the events of the same chains in the same database. */
  readonly follower: FollowerPort;
  /** How the past is read, by chain key. */
  readonly options?: Readonly<Record<string, PositionsOptions>>;
  readonly logger?: LoggerPort;
}

/** How the past of one chain is read. */
export interface PositionsOptions extends Partial<PastLimits> {
  /** First block that can hold an event of a wallet; default 0. */
  readonly logsFromBlock?: bigint;
}

/** The positions of wallets, with their cost and earnings. */
export interface Positions {
  /**
   * Report the positions of a wallet on every chain. It reads events from the database alone. Positions whose events are
   * not all stored are `pending`, and the jobs read what is missing.
   *
   * @throws {UpstreamUnavailableError} when any chain cannot be read. Without it the totals would be too low.
   */
  status(userAddress: Address, call?: StatusCall): Promise<StatusResponse>;
  /** Read the past of wallets, for `startJobs` of `@yield-vault/database`: one job for each chain. */
  readonly jobs: readonly Job[];
}

const defaults: PastLimits = { blocks: 10_000, requestsPerSecond: 50, concurrency: 4 };

/**
 * Create the reader of positions.
 *
 * @example
 * const positions = createPositions({ chains, vaults: discovery, database, follower: events });
 * const jobs = startJobs(() => positions.jobs, { leader: { database, name: 'past' }, logger });
 * const { totalValueUsd } = await positions.status('0x…');
 */
export function createPositions(dependencies: PositionsDependencies): Positions {
  const {
    chains,
    logs = chains,
    vaults,
    database,
    follower,
    options = {},
    logger = silentLogger,
  } = dependencies;
  const { db } = database;
  return {
    status: async (userAddress, call = {}) => {
      const loaded = await Promise.all(
        chains.all.map((chain) => {
          const fromBlock = options[chain.key]?.logsFromBlock ?? 0n;
          const source = { chain, db, follower, fromBlock };
          return readFromNode(chain, loadHoldings(source, vaults.list(chain.key), userAddress, call));
        }),
      );
      return summarise(
        loaded.flatMap(({ holdings }) => holdings),
        loaded.reduce((sum, { gasPaidUsd }) => sum + gasPaidUsd, 0),
      );
    },
    jobs: chains.all.map((chain) => {
      const client = logs.all.find(({ key }) => key === chain.key) ?? chain;
      return createPastJob(chain, client, database, { ...defaults, ...options[chain.key] }, logger);
    }),
  };
}
