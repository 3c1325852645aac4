import type { LoggerPort } from '@yield-vault/protocol';

/** Log lines, as `level message`. */
export interface RecordingLogger extends LoggerPort {
  readonly lines: readonly string[];
}

/** Make a logger that keeps its lines. */
export function recordingLogger(): RecordingLogger {
  const lines: string[] = [];
  const at = (level: string) => (fields: object, message: string) =>
    void lines.push(`${level} ${message} ${JSON.stringify(fields)}`);
  return { lines, info: at('info'), warn: at('warn'), error: at('error') };
}
