import { renameSync, writeFileSync } from 'node:fs';
import { parseRegistry } from '../catalogue/parse-registry.js';
import type { RegistryEntry } from '../types.js';
import { readRegistryFile } from './load-registry.js';

/**
 * Write an entry at the end of a registry file, whole or not at all.
 *
 * @throws {RegistryError} when the file is no registry, or has the vault already; it stays as it was
 */
export function appendToRegistry(file: string, entry: RegistryEntry): void {
  const content = readRegistryFile(file);
  parseRegistry(content);
  // As it stands in the file, so that nothing but the new entry changes.
  const { vaults } = content as { readonly vaults: readonly unknown[] };
  const extended = { vaults: [...vaults, entry] };
  parseRegistry(extended);
  const draft = `${file}.draft`;
  writeFileSync(draft, `${JSON.stringify(extended, null, 2)}\n`);
  renameSync(draft, file);
}
