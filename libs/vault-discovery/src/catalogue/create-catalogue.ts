import { asUpstreamError } from '@yield-vault/chains';
import type { LoggerPort } from '../ports.js';
import type { RegistryEntry } from '../types.js';
import type { CatalogueSource, SourceRecord } from './catalogue-source.js';
import { badFlags } from './flags.js';
import { flagImpostors } from './flag-impostors.js';
import { mergeRecords, type CatalogueConflict, type MergedCatalogue } from './merge-records.js';

const defaultDeadlineMs = 10_000;
/** A long list may take its time: who waited for it goes on without it, and has it the next time. */
const longestLoadMs = 60_000;
const retryMs = 60_000;

export interface CatalogueDeps {
  /** The reviewed entries. A vault that stands here is never overruled by a source. */
  readonly registry: readonly RegistryEntry[];
  readonly sources: readonly CatalogueSource[];
  readonly logger: LoggerPort;
  /** Milliseconds, as Date.now. */
  readonly now: () => number;
  /** Age from which the sources are asked again. */
  readonly refreshSeconds: number;
  /** Longest time that `entries` waits for the sources (10,000). */
  readonly deadlineMs?: number;
  /**
   * The flags that were last published, by address: until every source has answered once, they stand. Nothing by default.
   */
  readonly publishedFlags?: (chainId: number) => Promise<ReadonlyMap<string, readonly string[]>>;
}

/** The last usable answer of a source. */
export interface SourceState {
  readonly source: string;
  /** Unix milliseconds; undefined before the first answer. */
  readonly answeredAt: number | undefined;
  readonly vaults: number;
}

/** The vaults that a deployment knows: a reviewed registry, and what external services add to it. */
export interface Catalogue {
  /**
   * The active entries of a chain. A source that does not answer within the deadline keeps its last good answer; before
   * the first one, what was last published stands, so that a warning outlives a restart.
   *
   * @throws what `publishedFlags` throws
   */
  entries(chainId: number, signal?: AbortSignal): Promise<readonly RegistryEntry[]>;
  /** What is known of a chain and not offered: candidates of the registry, and vaults that only a source knows. */
  candidates(chainId: number): readonly RegistryEntry[];
  /** Where a source contradicts the registry. */
  conflicts(chainId: number): readonly CatalogueConflict[];
  /** How old the answers of the sources are. */
  sources(): readonly SourceState[];
}

interface Loaded {
  readonly source: CatalogueSource;
  records: readonly SourceRecord[];
  answeredAt: number | undefined;
  /** Milliseconds, and how long it is left alone from then on. */
  askedAt: number;
  pauseMs: number;
  running: Promise<void> | undefined;
}

/**
 * Join a reviewed registry with external services. The registry decides which vaults are offered; a source can only
 * add warnings and fill what nobody knows.
 *
 * @example
 * const catalogue = createCatalogue({
 *   registry: shippedRegistry({ candidates: true }),
 *   sources: [createMorphoSource({ url: 'https://api.morpho.org/graphql' })],
 *   ...{ logger, now: Date.now, refreshSeconds: 3_600 },
 * });
 * await catalogue.entries(8453);
 */
export function createCatalogue(deps: CatalogueDeps): Catalogue {
  const { registry, logger, now, refreshSeconds, deadlineMs = defaultDeadlineMs } = deps;
  const { publishedFlags = () => Promise.resolve(new Map<string, readonly string[]>()) } = deps;
  const chainIds = [...new Set(registry.map(({ chainId }) => chainId))];
  const sources = deps.sources.map((source): Loaded => ({
    source,
    records: [],
    answeredAt: undefined,
    askedAt: -Infinity,
    pauseMs: 0,
    running: undefined,
  }));

  const load = async (state: Loaded): Promise<void> => {
    const { name } = state.source;
    state.askedAt = now();
    try {
      state.records = await state.source.load(chainIds, AbortSignal.timeout(longestLoadMs));
      state.answeredAt = now();
      state.pauseMs = refreshSeconds * 1_000;
    } catch (error) {
      state.pauseMs = Math.min(retryMs, refreshSeconds * 1_000);
      const err = asUpstreamError(error, name) ?? error;
      logger.warn({ source: name, err }, 'a source of the catalogue does not answer: its last answer stays');
    }
  };

  /** The clock may have been set back: the future is as far away as the past. */
  const isDue = ({ askedAt, pauseMs }: Loaded) => Math.abs(now() - askedAt) >= pauseMs;

  const refresh = async (): Promise<void> => {
    for (const state of sources)
      if (isDue(state)) state.running ??= load(state).finally(() => (state.running = undefined));
    await Promise.all(sources.flatMap(({ running }) => running ?? []));
  };

  const merged = (chainId: number): MergedCatalogue => {
    const { entries, conflicts } = mergeRecords(
      registry.filter((entry) => entry.chainId === chainId),
      sources.map(({ source, records }) => ({
        source: source.name,
        records: records.filter((record) => record.chainId === chainId),
      })),
    );
    return { entries: flagImpostors(entries), conflicts };
  };

  return {
    entries: async (chainId, signal) => {
      const deadline = AbortSignal.timeout(deadlineMs);
      await untilAborted(refresh(), signal ? AbortSignal.any([signal, deadline]) : deadline);
      const entries = merged(chainId).entries.filter(isActive);
      const isComplete = sources.every(({ answeredAt }) => answeredAt !== undefined);
      return isComplete ? entries : withFlags(entries, await publishedFlags(chainId));
    },
    candidates: (chainId) => merged(chainId).entries.filter((entry) => !isActive(entry)),
    conflicts: (chainId) => merged(chainId).conflicts,
    sources: () =>
      sources.map(({ source, answeredAt, records }) => ({
        ...{ source: source.name, answeredAt, vaults: records.length },
      })),
  };
}

const isActive = ({ status }: RegistryEntry): boolean => status !== 'candidate';

/** Only warnings are kept: any other flag informs, and may be out of date. */
const withFlags = (
  entries: readonly RegistryEntry[],
  published: ReadonlyMap<string, readonly string[]>,
): RegistryEntry[] =>
  entries.map((entry) => {
    const warnings = published.get(entry.address)?.filter((flag) => badFlags.has(flag)) ?? [];
    return { ...entry, flags: [...new Set([...entry.flags, ...warnings])] };
  });

/** Who stops waiting gets what is there; the sources go on. */
async function untilAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  let stop = (): void => undefined;
  const aborted = new Promise<void>((resolve) => {
    stop = resolve;
    signal.addEventListener('abort', stop, { once: true });
  });
  await Promise.race([work, aborted]);
  signal.removeEventListener('abort', stop);
}
