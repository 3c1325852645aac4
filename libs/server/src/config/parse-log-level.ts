import type { LogLevel } from '../nest/logging/create-logger.js';
import { ConfigError } from './config-error.js';

const levels: readonly LogLevel[] = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

/**
 * Parse the value of `LOG_LEVEL`; `info` when there is none.
 *
 * @throws {ConfigError} when it is no level
 */
export function parseLogLevel(value: string | undefined): LogLevel {
  if (value === undefined || value === '') return 'info';
  const level = levels.find((known) => known === value);
  if (level === undefined) throw new ConfigError('LOG_LEVEL', [`must be one of ${levels.join(', ')}`]);
  return level;
}
