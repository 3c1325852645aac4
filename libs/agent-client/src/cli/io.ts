/** Where a command reads and writes: results, and what went wrong. */
export interface CliIo {
  out(text: string): void;
  note(text: string): void;
  /** Everything that is piped in. */
  input(): Promise<string>;
}
