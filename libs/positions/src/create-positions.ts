import { setTimeout as pause } from 'node:timers/promises';
import { readFromNode } from '@yield-vault/chains';
import type { DatabaseHandle, Job } from '@yield-vault/database';
import { silentLogger, type LoggerPort, type StatusResponse, type WalletStatus } from '@yield-vault/protocol';
import type { Address } from 'viem';
import { loadHoldings } from './load-holdings.js';
import { createPastJob, type PastLimits } from './past-job.js';
import type { CostsPort, FollowerPort, PositionsChain, StatusCall, VaultsPort } from './ports.js';
import { summarise, type ExitPrices } from './summarise.js';

/** Dependencies of `createPositions`. */
export interface PositionsDependencies {
  readonly chains: { readonly all: readonly PositionsChain[] };
  /** Clients for log queries, with circuit breakers of their own and without retries; by default those of `chains`. */
  readonly logs?: { readonly all: readonly Pick<PositionsChain, 'key' | 'rpc'>[] };
  readonly vaults: VaultsPort;
  readonly database: Pick<DatabaseHandle, 'db'>;
  /** Stores the events of the same chains in the same database. */
  readonly follower: FollowerPort;
  /** Prices of gas; without them `exitGasUsd` of a wallet with positions is null. */
  readonly costs?: CostsPort;
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
  /**
   * Report the positions of several wallets, in their order. Ten wallets share two requests to the node of a chain.
   *
   * @throws {UpstreamUnavailableError} when any chain cannot be read
   */
  statusBatch(userAddresses: readonly Address[], call?: StatusCall): Promise<WalletStatus[]>;
  /** Read the past of wallets, for `startJobs` of `@yield-vault/database`: one job for each chain. */
  readonly jobs: readonly Job[];
}

// A group needs one batch for its balances, and keeps the event loop for a few milliseconds.
const walletsAtOnce = 10;
const pricesMs = 10_000;
const pricesWaitMs = 1_000;

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
    costs,
    options = {},
    logger = silentLogger,
  } = dependencies;
  const { db } = database;
  const pricesOf = costs && keepPrices(costs);
  const readGroup = async (wallets: readonly Address[], call: StatusCall): Promise<StatusResponse[]> => {
    const loaded = await Promise.all(
      chains.all.map(async (chain) => {
        const fromBlock = options[chain.key]?.logsFromBlock ?? 0n;
        const source = { chain, db, follower, fromBlock };
        const [holdings, exitPrices] = await Promise.all([
          readFromNode(chain, loadHoldings(source, vaults.list(chain.key), wallets, call)),
          pricesOf?.(chain.key),
        ]);
        return holdings.map((each) => ({ ...each, chain: chain.key, exitPrices }));
      }),
    );
    return wallets.map((_, index) => summarise(loaded.map((ofChain) => ofChain[index]!)));
  };
  return {
    status: async (userAddress, call = {}) => (await readGroup([userAddress], call))[0]!,
    statusBatch: async (userAddresses, call = {}) => {
      const wallets = [...new Set(userAddresses)];
      const statuses = new Map<Address, StatusResponse>();
      for (let start = 0; start < wallets.length; start += walletsAtOnce) {
        call.signal?.throwIfAborted();
        const group = wallets.slice(start, start + walletsAtOnce);
        for (const [index, status] of (await readGroup(group, call)).entries())
          statuses.set(group[index]!, status);
      }
      return userAddresses.map((userAddress) => ({ userAddress, ...statuses.get(userAddress)! }));
    },
    jobs: chains.all.map((chain) => {
      const client = logs.all.find(({ key }) => key === chain.key) ?? chain;
      return createPastJob(chain, client, database, { ...defaults, ...options[chain.key] }, logger);
    }),
  };
}

/** Keep the prices of a chain for seconds. A paymaster that does not respond delays a status by a second at most. */
function keepPrices(costs: CostsPort) {
  const known = new Map<string, { readonly readAt: number; readonly prices: Promise<ExitPrices> }>();
  return (chain: string): Promise<ExitPrices> => {
    let kept = known.get(chain);
    if (!kept || Date.now() - kept.readAt > pricesMs) {
      kept = { readAt: Date.now(), prices: costs(chain).catch(() => undefined) };
      known.set(chain, kept);
    }
    return Promise.race([kept.prices, pause(pricesWaitMs, undefined, { ref: false })]);
  };
}
