import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { parseRegistry, type RegistryEntry, shippedRegistry } from '@yield-vault/vault-discovery';
import { CommandFailure } from './io.js';

/** Which entries of a registry a command reads. */
export interface RegistryChoice {
  /** A registry file; the shipped registry by default. */
  readonly registry?: string;
  /** Candidates, too. */
  readonly candidates?: boolean;
}

export function loadRegistry({ registry, candidates }: RegistryChoice): readonly RegistryEntry[] {
  const all =
    registry === undefined ? shippedRegistry({ candidates: true }) : parseRegistry(readFile(registry));
  return candidates ? all : all.filter(({ status }) => status !== 'candidate');
}

/** @throws {CommandFailure} when it cannot be read or is no JSON */
function readFile(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new CommandFailure(`the registry ${file} cannot be read: ${(error as Error).message}`);
  }
}

/**
 * Replace or append entries of a registry file, completely or not at all.
 *
 * @throws {ConfigError} when the file is invalid; it stays unchanged
 */
export function saveEntries(file: string, entries: readonly RegistryEntry[]): void {
  // The unparsed entries, so that the others stay as they are.
  const { vaults } = readFile(file) as { readonly vaults: readonly RegistryEntry[] };
  const keyOf = ({ chainId, address }: RegistryEntry) => `${chainId} ${address.toLowerCase()}`;
  const saved = new Map([...vaults, ...entries].map((entry) => [keyOf(entry), entry]));
  const text = JSON.stringify({ vaults: [...saved.values()] }, null, 2);
  parseRegistry(JSON.parse(text));
  const draft = `${file}.draft`;
  writeFileSync(draft, `${text}\n`);
  renameSync(draft, file);
}
