import { pino, type DestinationStream, type Level, type Logger } from 'pino';
import { maskLine } from './mask-line.js';

export type LogLevel = Level | 'silent';

export interface LoggerOptions {
  readonly level: LogLevel;
  /** Texts that never reach a log line. */
  readonly secrets: readonly string[];
  readonly destination?: DestinationStream;
}

/** Create the structured logger of the server: one JSON object a line, secrets masked. */
export function createLogger({ level, secrets, destination }: LoggerOptions): Logger {
  const options = { level, base: undefined, hooks: { streamWrite: maskLine(secrets) } };
  return destination ? pino(options, destination) : pino(options);
}
