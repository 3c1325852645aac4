import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseRegistry, shippedRegistry, type RegistryEntry } from '@yield-vault/vault-discovery';
import type { Deployment } from './deployment-schema.js';
import { DeploymentConfigError, parseDeployment } from './parse-deployment.js';

type Environment = Readonly<Record<string, string | undefined>>;

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** The configuration cannot be used. `problems` lists the reasons, one sentence each. */
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

/** The configuration of a process that serves or samples vaults. */
export interface Config {
  readonly deployment: Deployment;
  readonly registry: readonly RegistryEntry[];
  readonly logLevel: LogLevel;
}

/**
 * Read the deployment file named by `YIELD_VAULT_CONFIG`, and the vault registry that it names. Without a registry
 * file, use the registry that `vault-discovery` ships.
 *
 * @param env - environment variables
 * @throws {ConfigError} with every problem
 */
export function loadConfig(env: Environment): Config {
  const logLevel = parseLogLevel(env['LOG_LEVEL']);
  const deployment = loadDeployment(env);
  const { registryFile } = deployment.discovery;
  if (registryFile === undefined) return { deployment, registry: shippedRegistry(), logLevel };
  const text = readFile(registryFile, 'vault registry');
  try {
    return { deployment, registry: parseRegistry(JSON.parse(text)), logLevel };
  } catch (cause) {
    throw new ConfigError(registryFile, [String((cause as Error).message)]);
  }
}

/**
 * Read the deployment file named by `YIELD_VAULT_CONFIG`, or `config/local.yaml`.
 *
 * @throws {ConfigError} with every problem
 */
export function loadDeployment(env: Environment): Deployment {
  const file = resolve(env['YIELD_VAULT_CONFIG'] || 'config/local.yaml');
  const text = readFile(file, 'deployment file');
  try {
    return parseDeployment(text, env, dirname(file));
  } catch (error) {
    if (error instanceof DeploymentConfigError) throw new ConfigError(file, error.problems);
    throw error;
  }
}

/**
 * Parse the value of `LOG_LEVEL`; `info` when there is none.
 *
 * @throws {ConfigError} when it is not a level
 */
export function parseLogLevel(value: string | undefined): LogLevel {
  if (value === undefined || value === '') return 'info';
  const level = logLevels.find((known) => known === value);
  if (level === undefined) throw new ConfigError('LOG_LEVEL', [`must be one of ${logLevels.join(', ')}`]);
  return level;
}

function readFile(file: string, role: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new ConfigError(file, [`the ${role} cannot be read (${(cause as Error).message})`]);
  }
}
