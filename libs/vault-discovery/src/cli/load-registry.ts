import { readFileSync } from 'node:fs';
import { parseRegistry } from '../catalogue/parse-registry.js';
import { shippedRegistry } from '../catalogue/shipped-registry.js';
import type { RegistryEntry } from '../types.js';
import { CommandFailure } from './outcome.js';

/** Read a registry file, or take what the library ships; candidates included. */
export function loadRegistry(file: string | undefined): readonly RegistryEntry[] {
  return file === undefined ? shippedRegistry({ candidates: true }) : parseRegistry(readRegistryFile(file));
}

/** @throws {CommandFailure} when it cannot be read or is no JSON */
export function readRegistryFile(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new CommandFailure(`the registry ${file} cannot be read: ${(error as Error).message}`);
  }
}

export const isActive = ({ status }: RegistryEntry): boolean => status !== 'candidate';
