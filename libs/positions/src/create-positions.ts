import { setTimeout as sleep } from 'node:timers/promises';
import { asReadFailure } from '@yield-vault/chains';
import type { StatusResponse } from '@yield-vault/protocol';
import type { Address } from 'viem';
import { loadHoldings, type HoldingsSource } from './load-holdings.js';
import { createPastReader, type PastLimits, type PastReader } from './past-reader.js';
import type { LoggerPort, PositionsChain, ScanStore, VaultsPort } from './ports.js';
import { shareReads } from './share-reads.js';
import { summarise } from './summarise.js';

/** Dependencies of `createPositions`. */
export interface PositionsDependencies {
  readonly chains: { readonly all: readonly PositionsChain[] };
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
  /** Read the past of all wallets in the background until the signal aborts. Never throws. One process is enough. */
  readPast(signal: AbortSignal): Promise<void>;
}

// Leaves a second for the values.
const pastMs = 2_000;
const restartMs = 5_000;
const defaults: PastLimits = { blocks: 10_000, requestsPerSecond: 50, concurrency: 4 };
const silentLogger: LoggerPort = { warn: () => undefined };

/**
 * Create the reader of positions.
 *
 * @example
 * const positions = createPositions({ chains, vaults: discovery, store: createDatabaseScanStore(database) });
 * void positions.readPast(stopping.signal);
 * const { totalValueUsd } = await positions.status('0x…');
 */
export function createPositions(dependencies: PositionsDependencies): Positions {
  const { chains, vaults, store, options = {}, logger = silentLogger } = dependencies;
  const sources = chains.all.map((chain): HoldingsSource & { readonly reader: PastReader } => {
    const { logsFromBlock = 0n, mayBeReplaced = false, ...limits } = options[chain.key] ?? {};
    const reader = createPastReader(chain, store, { ...defaults, ...limits }, logger);
    return { chain, store, reader, past: shareReads(reader), fromBlock: logsFromBlock, mayBeReplaced };
  });

  return {
    status: async (userAddress, signal) => {
      const late = AbortSignal.timeout(pastMs);
      const waiting = signal ? AbortSignal.any([signal, late]) : late;
      const loaded = await Promise.all(
        sources.map(async (source) => {
          const { key } = source.chain;
          try {
            return await loadHoldings(source, vaults.list(key), userAddress, { waiting, signal });
          } catch (error) {
            throw asReadFailure(error, `rpc:${key}`) ?? error;
          }
        }),
      );
      return summarise(
        loaded.flatMap(({ holdings }) => holdings),
        loaded.reduce((sum, { gasPaidUsd }) => sum + gasPaidUsd, 0),
      );
    },
    readPast: async (signal) => {
      await Promise.all(sources.map(({ reader, chain }) => follow(reader, chain.key, logger, signal)));
    },
  };
}

async function follow(
  reader: PastReader,
  chain: string,
  logger: LoggerPort,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const pauseMs = await reader.readUnfinished().catch((err: unknown) => {
      logger.warn({ err, chain }, 'reading the past of wallets failed: the next attempt follows');
      return restartMs;
    });
    await sleep(Math.max(0, pauseMs), undefined, { signal }).catch(() => undefined);
  }
}
