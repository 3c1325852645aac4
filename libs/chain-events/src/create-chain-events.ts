import type { DatabaseHandle, Job } from '@yield-vault/database';
import type { AwaitedOperation, LoggerPort, Sighting } from '@yield-vault/protocol';
import { createFeed, type Feed } from './create-feed.js';
import { createFollower, type FollowOptions } from './create-follower.js';
import { createEventStore } from './event-store.js';
import { createNewsReader } from './news.js';
import { readNonces } from './read-nonces.js';
import type { Hex } from 'viem';
import type { FollowedChain, VaultsPort } from './types.js';

/** Dependencies of `createChainEvents`. */
export interface ChainEventsDependencies {
  readonly chains: { readonly all: readonly FollowedChain[] };
  readonly database: Pick<DatabaseHandle, 'db'>;
  readonly vaults: VaultsPort;
  /** How chains are followed, by key. */
  readonly options?: Readonly<Record<string, FollowOptions>>;
  readonly logger?: LoggerPort;
  /** Called with each block that this process stored. */
  readonly onBlock?: (chain: string, block: bigint) => void;
  /** Called when a wait ends because nobody follows the chain. */
  readonly onSilent?: (chain: string) => void;
}

/** The events of chains: one process stores them, every process reads them. */
export interface ChainEvents {
  /** Follow the chains, for `startJobs` of `@yield-vault/database`: one job for each chain. */
  readonly jobs: readonly Job[];
  /** @returns the newest stored block; `undefined` while nobody follows the chain */
  newestBlock(chainId: number): Promise<bigint | undefined>;
  /** @returns the blocks that were stored on top of this one; `undefined` unless it was stored lately, with this hash */
  depthOf(
    chainId: number,
    block: { readonly number: bigint; readonly hash: Hex },
  ): Promise<bigint | undefined>;
  /**
   * Wait until the events of a block and of all earlier ones are stored.
   *
   * @returns whether they are; `false` at once while nobody follows the chain
   */
  reach(chainId: number, block: bigint, timeoutMs: number, signal?: AbortSignal): Promise<boolean>;
  /** Wait until a block included an operation, or may have. A stored event is a hint: ask the node for the receipt. */
  waitForOperation(awaited: AwaitedOperation, timeoutMs: number, signal?: AbortSignal): Promise<Sighting>;
}

/**
 * Create the events of some chains. Calls that wait for them cost two queries each 100 ms, however many they are.
 *
 * @example
 * const events = createChainEvents({ chains, database, vaults: { addresses: () => [vault] } });
 * const jobs = startJobs(() => events.jobs, { leader: { database, name: 'worker' } });
 * const after = await rpc.getBlockNumber(); // before the send
 * const sighting = await events.waitForOperation({ chainId, sender, nonce, userOpHash, after }, 60_000);
 */
export function createChainEvents(dependencies: ChainEventsDependencies): ChainEvents {
  const { chains, database, vaults, options = {}, logger, onBlock, onSilent } = dependencies;
  const store = createEventStore(database);
  const news = createNewsReader(database);
  const feeds = new Map<number, Feed>();
  const jobs = chains.all.map((chain) => {
    const { key, chainId } = chain;
    const feed = createFeed(chainId, news, (awaited) => readNonces(chain, awaited), {
      logger,
      onSilent: () => onSilent?.(key),
    });
    feeds.set(chainId, feed);
    const parts = { store, feed, vaults, logger, onBlock: (block: bigint) => onBlock?.(key, block) };
    return createFollower(chain, parts, options[key]);
  });
  return {
    jobs,
    newestBlock: async (chainId) => (await news.followed(chainId))?.newest,
    depthOf: (chainId, block) => news.depthOf(chainId, block),
    reach: async (chainId, ...wait) => (await feeds.get(chainId)?.reach(...wait)) ?? false,
    waitForOperation: async (awaited, ...wait) =>
      (await feeds.get(awaited.chainId)?.waitForOperation(awaited, ...wait)) ?? { kind: 'silent' },
  };
}
