import { inspect } from 'node:util';
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
const batching = {
  sync: false,
  contentMode: 'buffer',
  periodicFlush: 100,
  minLength: 65_536,
  maxWrite: 131_072,
} as const;

/** Create the structured logger of the server: one JSON object a line, secrets masked. */
export function createLogger({ level, secrets, destination }: LoggerOptions): Logger {
  const mask = maskLine(secrets);
  // The output would count the bytes of the whole batch again for each line of text.
  const streamWrite = destination ? mask : (line: string) => Buffer.from(mask(line)) as unknown as string;
  return pino({ level, base: undefined, hooks: { streamWrite } }, destination ?? pino.destination(batching));
}

// 65 bytes and more: signatures, signed transactions, call data.
const longHex = '(0x[0-9a-fA-F]{130,})';

/** Build the function that removes secrets and signed data from a log line. */
export function maskLine(secrets: readonly string[]): (line: string) => string {
  const literal = (secret: string) => secret.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  const hidden = new RegExp([longHex, ...secrets.map(literal)].join('|'), 'g');
  const mask = (_text: string, hex?: string) =>
    hex === undefined ? '[masked]' : `${hex.slice(0, 10)}…[${(hex.length - 2) / 2} bytes]`;
  return (line) => line.replace(hidden, mask);
}

const isStack = (text: unknown) => typeof text === 'string' && /\n\s+at /.test(text);

/** Let NestJS write through the structured logger. Its start-up lines are for debugging only. */
export function nestLogger(logger: Logger): LoggerService {
  const write =
    (level: 'debug' | 'warn' | 'error') =>
    (message: unknown, ...rest: unknown[]) => {
      // NestJS passes the stack of an error first, and the context last. Either may be missing.
      const stack = rest.find(isStack);
      const context = rest.findLast((each) => each !== stack);
      if (message instanceof Error) logger[level]({ context, err: message });
      else if (typeof message === 'object') logger[level]({ ...message, context, stack });
      else logger[level]({ context, stack }, typeof message === 'string' ? message : inspect(message));
    };
  const [debug, error] = [write('debug'), write('error')];
  return { log: debug, debug, verbose: debug, warn: write('warn'), error, fatal: error };
}
