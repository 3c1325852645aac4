import { readFileSync } from 'node:fs';
import { ConfigError } from './config-error.js';

/**
 * Read a file of the configuration.
 *
 * @param role - what it is, for the message, e.g. `deployment file`
 * @throws {ConfigError} when it cannot be read
 */
export function readConfigFile(file: string, role: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new ConfigError(file, [`the ${role} cannot be read (${(cause as Error).message})`]);
  }
}
