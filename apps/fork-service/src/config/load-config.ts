import { dirname, resolve } from 'node:path';
import { DeploymentConfigError, parseDeployment, type Deployment } from '@yield-vault/chains';
import { ConfigError, parseLogLevel, readConfigFile, type LogLevel } from '@yield-vault/server';
import type { ServiceSettings } from '../settings.js';
import { parseSettings } from './parse-settings.js';

/** Everything that the process is told from outside. */
export interface Config {
  readonly settings: ServiceSettings;
  readonly deployment: Deployment;
  readonly logLevel: LogLevel;
}

const defaultFile = 'config/local.yaml';

/**
 * Read the service's own variables and the deployment file named by `YIELD_VAULT_CONFIG`.
 *
 * @param env - environment variables
 * @throws {ConfigError} with every problem of the first source that has any
 */
export function loadConfig(env: Readonly<Record<string, string | undefined>> = process.env): Config {
  const logLevel = parseLogLevel(env['LOG_LEVEL']);
  const own = parseSettings(env);
  const file = resolve(env['YIELD_VAULT_CONFIG'] || defaultFile);
  const deployment = readDeployment(file, env);
  const requestTimeoutSeconds = Math.min(deployment.server.requestTimeoutSeconds, 60);
  return { settings: { ...own, requestTimeoutSeconds }, deployment, logLevel };
}

function readDeployment(file: string, env: Readonly<Record<string, string | undefined>>): Deployment {
  const text = readConfigFile(file, 'deployment file');
  // How servers reach this service is for them: here it would be half a setting.
  const { FORK_SERVICE_URL: _url, FORK_SERVICE_CREDENTIAL: _credential, ...others } = env;
  try {
    return parseDeployment(text, others, dirname(file));
  } catch (error) {
    if (error instanceof DeploymentConfigError) throw new ConfigError(file, error.problems);
    throw error;
  }
}
