/** The configuration cannot be used; `problems` says why, one sentence each. */
export class ConfigError extends Error {
  constructor(
    /** The file or the variable. */
    readonly source: string,
    readonly problems: readonly string[],
  ) {
    super(`${source} cannot be used:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}
