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
 * Append entries to a registry file, completely or not at all.
 *
 * @throws {ConfigError} when the file is invalid or already has a vault; it stays unchanged
 */
export function appendToRegistry(file: string, entries: readonly RegistryEntry[]): void {
  // The unparsed entries, so that only the new entries change the file.
  const { vaults } = readFile(file) as { readonly vaults: readonly unknown[] };
  const extended = { vaults: [...vaults, ...entries] };
  parseRegistry(extended);
  const draft = `${file}.draft`;
  writeFileSync(draft, `${JSON.stringify(extended, null, 2)}\n`);
  renameSync(draft, file);
}
