import { asUpstreamError } from '@yield-vault/chains';
import type { LoggerPort } from '@yield-vault/protocol';
import type { RegistryEntry } from './parse-registry.js';
import { badFlags, type CatalogueSource, notOffered, type SourceRecord } from './catalogue-source.js';
import { flagImpostors } from './flag-impostors.js';
import { mergeRecords } from './merge-records.js';

const defaultDeadlineMs = 10_000;
/** A caller waits for `deadlineMs` only; the download goes on for this long and serves the next call. */
const longestLoadMs = 60_000;
const retryMs = 60_000;

export interface CatalogueDeps {
  /** The reviewed entries. A source never overrules one. */
  readonly registry: readonly RegistryEntry[];
  readonly sources: readonly CatalogueSource[];
  readonly logger: LoggerPort;
  /** Milliseconds, as Date.now. */
  readonly now: () => number;
  /** Age from which the sources are read again. */
  readonly refreshSeconds: number;
  /** Longest time that `entries` waits for the sources (10,000). */
  readonly deadlineMs?: number;
  /**
   * The vaults published last; none by default. Their warnings stay until every source has responded once. A vault that
   * is no longer active in the registry stays known.
   */
  readonly published?: (chainId: number) => Promise<readonly RegistryEntry[]>;
}

/** The vaults of a deployment: a reviewed registry with the warnings of external services. */
export interface Catalogue {
  /**
   * List the active entries of a chain, and the published vaults that are not among them. A source that does not
   * respond within the deadline keeps its last good records. Until each source has responded once, the published warnings
   * stay, so that a warning survives a restart.
   *
   * @throws what `published` throws
   */
  entries(chainId: number, signal?: AbortSignal): Promise<readonly RegistryEntry[]>;
  /** When each source last responded, or got its first request; milliseconds, by name. */
  readonly respondedAt: ReadonlyMap<string, number>;
}

interface Loaded {
  readonly source: CatalogueSource;
  records: readonly SourceRecord[];
  hasResponded: boolean;
  /** Milliseconds. The next read is due `pauseMs` later. */
  readAt: number;
  pauseMs: number;
  running: Promise<void> | undefined;
}

/**
 * Join a reviewed registry with external services. The registry decides which vaults are offered; a source only
 * adds warnings and fills missing facts.
 *
 * @example
 * const catalogue = createCatalogue({
 *   registry: shippedRegistry(),
 *   sources: [createMorphoSource({ url: 'https://api.morpho.org/graphql' })],
 *   logger, now: Date.now, refreshSeconds: 3_600,
 * });
 * await catalogue.entries(8453);
 */
export function createCatalogue(deps: CatalogueDeps): Catalogue {
  const { registry, logger, now, refreshSeconds, deadlineMs = defaultDeadlineMs } = deps;
  const { published = () => Promise.resolve([]) } = deps;
  const chainIds = [...new Set(registry.map(({ chainId }) => chainId))];
  const sources = deps.sources.map((source): Loaded => ({
    source,
    records: [],
    hasResponded: false,
    readAt: -Infinity,
    pauseMs: 0,
    running: undefined,
  }));

  const respondedAt = new Map<string, number>();

  const load = async (state: Loaded): Promise<void> => {
    const { name } = state.source;
    state.readAt = now();
    if (!respondedAt.has(name)) respondedAt.set(name, now());
    try {
      state.records = await state.source.load(chainIds, AbortSignal.timeout(longestLoadMs));
      state.hasResponded = true;
      respondedAt.set(name, now());
      state.pauseMs = refreshSeconds * 1_000;
    } catch (error) {
      state.pauseMs = Math.min(retryMs, refreshSeconds * 1_000);
      const err = asUpstreamError(error, name) ?? error;
      logger.warn({ source: name, err }, 'a source of the catalogue is down: its last records stay');
    }
  };

  /** The absolute difference, because the clock may have been set back. */
  const isDue = ({ readAt, pauseMs }: Loaded) => Math.abs(now() - readAt) >= pauseMs;

  const refresh = async (): Promise<void> => {
    for (const state of sources)
      if (isDue(state)) state.running ??= load(state).finally(() => (state.running = undefined));
    await Promise.all(sources.flatMap(({ running }) => running ?? []));
  };

  return {
    entries: async (chainId, signal) => {
      const deadline = AbortSignal.timeout(deadlineMs);
      await untilAborted(refresh(), signal ? AbortSignal.any([signal, deadline]) : deadline);
      const merged = mergeRecords(
        registry.filter((entry) => entry.chainId === chainId),
        sources.map(({ source, records }) => ({
          source: source.name,
          records: records.filter((record) => record.chainId === chainId),
        })),
      );
      const entries = flagImpostors(merged).filter(({ status }) => status !== 'candidate');
      const before = new Map((await published(chainId)).map((vault) => [vault.address, vault]));
      const isComplete = sources.every(({ hasResponded }) => hasResponded);
      const active = isComplete ? entries : withWarnings(entries, before);
      for (const { address } of entries) before.delete(address);
      return [...active, ...[...before.values()].map((vault) => withoutOffer(vault, entries))];
    },
    respondedAt,
  };
}

/** Mark a vault that is no longer active. The facts of its asset come from an active vault. */
function withoutOffer(vault: RegistryEntry, active: readonly RegistryEntry[]): RegistryEntry {
  const peer = active.find(({ asset }) => asset.address === vault.asset.address);
  return {
    ...vault,
    symbolAliases: peer?.symbolAliases,
    facts: { assetClass: peer?.facts.assetClass },
    rewards: [],
    flags: [...new Set([...vault.flags, notOffered])],
  };
}

/** Carry over only bad flags, because any other may be out of date. The registry alone decides about `not-offered`. */
const withWarnings = (
  entries: readonly RegistryEntry[],
  published: ReadonlyMap<string, RegistryEntry>,
): RegistryEntry[] =>
  entries.map((entry) => {
    const { flags = [] } = published.get(entry.address) ?? {};
    const warnings = flags.filter((flag) => badFlags.has(flag) && flag !== notOffered);
    return { ...entry, flags: [...new Set([...entry.flags, ...warnings])] };
  });

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
