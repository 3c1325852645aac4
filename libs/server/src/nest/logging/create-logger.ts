import type { LoggerService } from '@nestjs/common';
import { pino, type DestinationStream, type Level, type Logger } from 'pino';

export type LogLevel = Level | 'silent';

export interface LoggerOptions {
  readonly level: LogLevel;
  /** Texts that never reach a log line. */
  readonly secrets: readonly string[];
  readonly destination?: DestinationStream;
}

// A write for each line takes longer than the guards of a request. pino writes the rest at the exit.
const batching = { sync: false, minLength: 12_288, periodicFlush: 100 };

/** Create the structured logger of the server: one JSON object a line, secrets masked. */
export function createLogger({ level, secrets, destination }: LoggerOptions): Logger {
  const options = { level, base: undefined, hooks: { streamWrite: maskLine(secrets) } };
  return pino(options, destination ?? pino.destination(batching));
}

// 65 bytes and more: signatures, signed transactions, call data.
const longHex = /0x[0-9a-fA-F]{130,}/g;

/** Build the function that removes secrets and signed data from a log line. */
export function maskLine(secrets: readonly string[]): (line: string) => string {
  return (line) => {
    const shortened = line.replace(longHex, (hex) => `${hex.slice(0, 10)}…[${(hex.length - 2) / 2} bytes]`);
    return secrets.reduce((masked, secret) => masked.replaceAll(secret, '[masked]'), shortened);
  };
}

/** Let NestJS write through the structured logger. Its start-up lines are for debugging only. */
export function nestLogger(logger: Logger): LoggerService {
  const write =
    (level: 'debug' | 'warn' | 'error') =>
    (message: unknown, ...context: unknown[]) =>
      logger[level]({ context: context.at(-1) }, String(message));
  const [debug, error] = [write('debug'), write('error')];
  return { log: debug, debug, verbose: debug, warn: write('warn'), error, fatal: error };
}
