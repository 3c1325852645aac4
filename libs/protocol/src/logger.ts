/** Receives progress, warnings and alerts; a pino logger fits. */
export interface LoggerPort {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  /** Needs an operator. */
  error(fields: object, message: string): void;
}

/** Discards everything. */
export const silentLogger: LoggerPort = {
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
