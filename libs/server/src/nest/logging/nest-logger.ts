import type { LoggerService } from '@nestjs/common';
import type { Logger } from 'pino';

/** Lets NestJS write through the structured logger. Its start-up lines are for debugging only. */
export function nestLogger(logger: Logger): LoggerService {
  const write =
    (level: 'debug' | 'warn' | 'error') =>
    (message: unknown, ...context: unknown[]) =>
      logger[level]({ context: context.at(-1) }, String(message));
  return {
    log: write('debug'),
    debug: write('debug'),
    verbose: write('debug'),
    warn: write('warn'),
    error: write('error'),
    fatal: write('error'),
  };
}
