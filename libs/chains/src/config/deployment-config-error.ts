/** The deployment file cannot be used; `problems` lists everything that is wrong with it, one sentence each. */
export class DeploymentConfigError extends Error {
  override readonly name = 'DeploymentConfigError';
  readonly code = 'DEPLOYMENT_CONFIG_INVALID';

  constructor(readonly problems: readonly string[]) {
    super(
      `The deployment file has ${problems.length} problem(s):\n${problems.map((p) => `- ${p}`).join('\n')}`,
    );
  }
}
