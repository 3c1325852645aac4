/** The registry file breaks its schema. */
export class RegistryError extends Error {
  readonly code = 'REGISTRY_INVALID' as const;

  constructor(readonly problems: readonly string[]) {
    super(`The vault registry is not usable:\n${problems.map((problem) => `- ${problem}`).join('\n')}`);
    this.name = 'RegistryError';
  }
}
