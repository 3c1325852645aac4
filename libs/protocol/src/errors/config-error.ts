/** Settings or a file cannot be used. `problems` lists every reason, and contains no secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(
    /** The file, the variable or the options. */
    readonly source: string,
    readonly problems: readonly string[],
  ) {
    super(`${source} cannot be used:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
  }
}
