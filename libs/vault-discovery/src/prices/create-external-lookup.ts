import pLimit from 'p-limit';
import type { Address } from 'viem';
import { hourSeconds } from '../metrics/statistics.js';
import type { PricerDeps } from './create-pricer.js';
import type { ExternalPrice } from './types.js';

/** Older, or younger, than that it is not the price of the time that is asked about. */
const maxAgeSeconds = 2 * hourSeconds;
/** A time so close to now is asked about as now. */
const currentSeconds = hourSeconds;
const currentLifeMs = 60_000;
const maxRemembered = 2_000;

/** Asks for prices at a time, Unix seconds. Never throws: what it cannot find out is left out. */
export type ExternalLookup = (
  t: number,
  assets: readonly Address[],
) => Promise<ReadonlyMap<string, ExternalPrice>>;

type Answer = ReadonlyMap<string, ExternalPrice>;

/**
 * Make a lookup that remembers: the present for a minute, the past by the hour. The past is asked for one question
 * at a time, because a backfill has hundreds of them.
 */
export function createExternalLookup({
  chain,
  external,
  now,
  logger,
}: Pick<PricerDeps, 'chain' | 'external' | 'now' | 'logger'>): ExternalLookup {
  if (!external) return () => Promise.resolve(new Map());
  const remembered = new Map<string, { readonly answer: Promise<Answer>; readonly until: number }>();
  const inTurn = pLimit(1);

  const ask = async (load: () => Promise<Answer>): Promise<Answer | undefined> => {
    try {
      return await load();
    } catch (error) {
      logger.warn({ chain: chain.key, err: error }, 'external prices are not to be had');
      return undefined;
    }
  };

  const remember = async (key: string, lifeMs: number, load: () => Promise<Answer>): Promise<Answer> => {
    const known = remembered.get(key);
    if (known && now() < known.until) return known.answer;
    const asking = ask(load);
    const entry = {
      answer: asking.then((answer) => answer ?? new Map<string, never>()),
      until: now() + lifeMs,
    };
    remembered.set(key, entry);
    if (remembered.size > maxRemembered) remembered.delete(remembered.keys().next().value!);
    // A failure is asked about again.
    if (!(await asking) && remembered.get(key) === entry) remembered.delete(key);
    return entry.answer;
  };

  return async (t, assets) => {
    if (assets.length === 0) return new Map();
    const hour = Math.round(t / hourSeconds) * hourSeconds;
    const answer =
      Math.abs(now() / 1_000 - t) <= currentSeconds
        ? await remember(`now ${assets.join()}`, currentLifeMs, () => external.current(chain.chainId, assets))
        : await remember(`${hour} ${assets.join()}`, Infinity, () =>
            inTurn(() => external.at(chain.chainId, assets, hour)),
          );
    return new Map([...answer].filter(([, price]) => Math.abs(price.t - t) <= maxAgeSeconds));
  };
}
