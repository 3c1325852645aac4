import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ConfigError } from '@yield-vault/protocol';
import {
  parseRegistry,
  selectProfile,
  shippedRegistry,
  type RegistryEntry,
} from '@yield-vault/vault-discovery';
import type { Deployment } from './deployment-schema.js';
import { parseDeployment } from './parse-deployment.js';

type Environment = Readonly<Record<string, string | undefined>>;

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** The configuration of a process that serves or samples vaults. */
export interface Config {
  readonly deployment: Deployment;
  readonly registry: readonly RegistryEntry[];
  readonly logLevel: LogLevel;
}

/**
 * Read the deployment file named by `YIELD_VAULT_CONFIG`, and the vault registry that it names. Without a registry
 * file, use the registry that `vault-discovery` ships. Only vaults of the profile are offered.
 *
 * @param env - environment variables
 * @throws {ConfigError} with every problem
 */
export function loadConfig(env: Environment): Config {
  const logLevel = parseLogLevel(env['LOG_LEVEL']);
  const deployment = loadDeployment(env);
  const { registryFile, profile } = deployment.discovery;
  const registry = registryFile === undefined ? shippedRegistry() : readRegistry(registryFile);
  return { deployment, registry: profile ? selectProfile(registry, profile) : registry, logLevel };
}

function readRegistry(registryFile: string): readonly RegistryEntry[] {
  const text = readFile(registryFile, 'vault registry');
  try {
    return parseRegistry(JSON.parse(text));
  } catch (cause) {
    const problems = cause instanceof ConfigError ? cause.problems : [(cause as Error).message];
    throw new ConfigError(registryFile, problems);
  }
}

/**
 * Read the deployment file named by `YIELD_VAULT_CONFIG`, or `config/local.yaml`.
 *
 * @throws {ConfigError} with every problem
 */
export function loadDeployment(env: Environment): Deployment {
  const file = resolve(env['YIELD_VAULT_CONFIG'] || 'config/local.yaml');
  return parseDeployment(readFile(file, 'deployment file'), env, file);
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
