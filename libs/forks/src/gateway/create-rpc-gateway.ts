import { LRUCache } from 'lru-cache';
import type { BlockRef } from '../types.js';
import { answerHost } from './answer-host.js';
import { asHeader, type Header } from './block-reference.js';
import { createBlockStore, questionsAbout } from './create-block-store.js';
import { createForecast } from './create-forecast.js';
import { createForesight } from './create-foresight.js';
import { createHeadTracker } from './create-head-tracker.js';
import { createUpstream } from './create-upstream.js';
import { knownStorage } from './known-storage.js';
import { serveGateway } from './serve-gateway.js';
import type { StateItem } from './state-item.js';
import type { GatewayOptions, LikelyUse, RpcGateway } from './types.js';
import { unavailable } from './unavailable.js';

const prefetchesKept = 1_000;

/**
 * Make the gateway of a chain: a loopback address per block for hosts, behind it a cache of that block's state, and
 * behind that as few requests to the upstream as can be.
 *
 * @example
 * const gateway = await createRpcGateway({ chain, upstreamUrls });
 * const block = await gateway.head(1_000, { template, calls });
 * await gateway.prefetch(block, template, calls);
 * const host = await startAnvil({ args: ['--fork-url', gateway.urlFor(block)] });
 * // …
 * await gateway.close();
 */
export async function createRpcGateway(options: GatewayOptions): Promise<RpcGateway> {
  const { chain, upstreamUrls, now = () => performance.timeOrigin + performance.now() } = options;
  const { deadlineMs = 6_000, batchLimit = 500, cacheEntries = 20_000, longestLagMs = 30_000 } = options;
  const dependency = `rpc:${chain.key}`;

  const upstream = createUpstream({ dependency, urls: upstreamUrls, deadlineMs, batchLimit });
  const heads = createHeadTracker(now, longestLagMs);
  const forecast = createForecast();
  const foresight = createForesight(chain.opStack);
  const onBlockGone = () => heads.forget();
  const store = createBlockStore({ dependency, upstream, maxEntries: cacheEntries, onBlockGone });
  const prefetches = new LRUCache<string, Promise<void>>({ max: prefetchesKept });
  let misses = 0;

  const lookUpHead = async (likely?: LikelyUse): Promise<Header> => {
    const startedAt = now();
    const unforeseen = likely ? foresight.unforeseen(likely) : [];
    const guess = likely && unforeseen.length === 0 ? guessHead(likely, startedAt) : undefined;
    const [newest, ...answers] = await upstream.ask([
      { method: 'eth_getBlockByNumber', params: ['latest', false] },
      ...foresight.questions(unforeseen, 'latest'),
      ...(guess?.questions ?? []),
    ]);
    const header = asHeader(newest && 'result' in newest ? newest.result : undefined);
    if (!header) throw unavailable(dependency, 'it has no newest block');
    forecast.observe(header.block, (startedAt + now()) / 2);
    store.remember(header);
    foresight.learn(unforeseen, answers);
    // In several requests, only one of them would prove its block.
    const isProven = answers.length < upstream.batchLimit;
    if (guess?.number === header.block.number && isProven) store.take(header.block, guess.items, answers);
    return header;
  };

  /** What to ask about the block that is likely to be the newest one by now; nothing when it is known already. */
  const guessHead = (likely: LikelyUse, at: number) => {
    const number = forecast.expect(at);
    if (number === undefined || number === heads.last?.block.number) return undefined;
    const items = foresight.items(likely, heads.last);
    return { number, items, questions: questionsAbout(number, items) };
  };

  const load = async (block: BlockRef, likely: LikelyUse): Promise<void> => {
    if (likely.template !== undefined) foresight.noteUse(block, likely.template);
    const unforeseen = foresight.unforeseen(likely);
    foresight.learn(unforeseen, await upstream.ask(foresight.questions(unforeseen, block.number)));
    const items = foresight.items(likely, store.knownHeader(block));
    await store.load(block, items);
    foresight.noteStates(items.map((item) => store.known(block, item)));
  };

  const onRead = (block: BlockRef, item: StateItem, wasKnown: boolean) => {
    if (!wasKnown) misses += 1;
    foresight.noteRead(block, item, wasKnown);
  };
  const server = await serveGateway((block, call) =>
    answerHost({ chainId: chain.chainId, store, upstream, onRead }, block, call),
  );

  return {
    head: async (maxAgeMs, likely) => (await heads.newest(maxAgeMs, () => lookUpHead(likely))).block,
    mustAsk: (maxAgeMs) => !heads.isFresh(maxAgeMs),
    urlFor: (block) => server.urlFor(block),
    reserve: () => server.reserve(),
    async prefetch(block, template, calls) {
      const key = prefetchKey(block, { template, calls });
      const loading = prefetches.get(key) ?? load(block, { template, calls });
      prefetches.set(key, loading);
      await loading.catch((error: unknown) => {
        prefetches.delete(key);
        throw error;
      });
    },
    foreseenStorage: (block, template, calls) =>
      knownStorage(store, block, foresight.slotsToGive(block, { template, calls })),
    stats: () => ({ misses }),
    async close() {
      await Promise.all([server.close(), upstream.close()]);
    },
  };
}

// Calls of one template touch the same: on one block they are foreseen once.
function prefetchKey({ hash }: BlockRef, { template, calls }: LikelyUse): string {
  return [
    hash,
    template ?? calls.flatMap(({ from, to, data, value = 0n }) => [from, to, data, value]),
  ].join();
}
