import { dirname, resolve } from 'node:path';
import { DeploymentConfigError, parseDeployment, type Deployment } from '@yield-vault/chains';
import { ConfigError, parseLogLevel, readConfigFile, type LogLevel } from '@yield-vault/server';
import { parseRegistry, shippedRegistry, type RegistryEntry } from '@yield-vault/vault-discovery';

/** Everything that the process is told from outside. */
export interface Config {
  readonly deployment: Deployment;
  readonly registry: readonly RegistryEntry[];
  readonly logLevel: LogLevel;
}

const defaultFile = 'config/local.yaml';

/**
 * Read the deployment file named by `YIELD_VAULT_CONFIG`, and the vault registry that it names; without one, the
 * registry that the library ships.
 *
 * @param env - environment variables
 * @throws {ConfigError} with every problem
 */
export function loadConfig(env: Readonly<Record<string, string | undefined>> = process.env): Config {
  const logLevel = parseLogLevel(env['LOG_LEVEL']);
  const file = resolve(env['YIELD_VAULT_CONFIG'] || defaultFile);
  const text = readConfigFile(file, 'deployment file');
  let deployment: Deployment;
  try {
    deployment = parseDeployment(text, env, dirname(file));
  } catch (error) {
    if (error instanceof DeploymentConfigError) throw new ConfigError(file, error.problems);
    throw error;
  }
  const { registryFile } = deployment.discovery;
  if (registryFile === undefined) return { deployment, registry: shippedRegistry(), logLevel };
  const registryText = readConfigFile(registryFile, 'vault registry');
  try {
    return { deployment, registry: parseRegistry(JSON.parse(registryText)), logLevel };
  } catch (cause) {
    throw new ConfigError(registryFile, [String((cause as Error).message)]);
  }
}
