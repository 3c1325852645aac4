import {
  loadDeployment,
  parseLogLevel,
  readVariable,
  type Deployment,
  type LogLevel,
} from '@yield-vault/deployment';
import { ConfigError } from '@yield-vault/protocol';
import { z } from 'zod';

/** Settings of the service. */
export interface ServiceSettings {
  readonly host: string;
  readonly port: number;
  /** The bearer credential of operators. Never shown. */
  readonly credential: string;
  /** Folder that keeps persistent forks over a restart. */
  readonly stateDirectory?: string | undefined;
  /** Whether payments settle on the persistent forks. Their clocks are then never moved. */
  readonly takesPayments?: boolean;
  /** Longest time for one request. */
  readonly requestTimeoutSeconds: number;
}

/** Settings of the service, and the deployment. */
export interface Config {
  readonly settings: ServiceSettings;
  readonly deployment: Deployment;
  readonly logLevel: LogLevel;
}

/**
 * Read the service's own variables and the deployment file named by `YIELD_VAULT_CONFIG`.
 *
 * @param env - environment variables
 * @throws {ConfigError} with every problem of the first source that has any
 */
export function loadConfig(env: Readonly<Record<string, string | undefined>> = process.env): Config {
  const logLevel = parseLogLevel(env['LOG_LEVEL']);
  const FORK_SERVICE_CREDENTIAL = readVariable(env, 'FORK_SERVICE_CREDENTIAL');
  const own = parseSettings({ ...env, FORK_SERVICE_CREDENTIAL });
  // How servers reach this service is for them: here it would be half a setting.
  const unused = { FORK_SERVICE_URL: '', FORK_SERVICE_CREDENTIAL: '', FORK_SERVICE_CREDENTIAL_FILE: '' };
  const deployment = loadDeployment({ ...env, ...unused });
  const requestTimeoutSeconds = Math.min(deployment.server.requestTimeoutSeconds, 60);
  return { settings: { ...own, requestTimeoutSeconds }, deployment, logLevel };
}

// No message contains a value: the credential must not be shown.
const schema = z.object({
  FORK_SERVICE_HOST: z.string().default('127.0.0.1'),
  FORK_SERVICE_PORT: z
    .string()
    .regex(/^\d{1,5}$/, 'must be a port number')
    .default('3100')
    .transform(Number)
    .refine((port) => port <= 65_535, 'must be a port number'),
  FORK_SERVICE_CREDENTIAL: z
    .string('is required: the credential of operators, at least 16 characters')
    .min(16, 'must have at least 16 characters')
    .regex(/^[\x21-\x7e]+$/, 'must have printable ASCII characters only, and no space'),
  FORK_SERVICE_STATE_DIRECTORY: z.string().optional(),
  FORK_SERVICE_TAKES_PAYMENTS: z
    .enum(['true', 'false'], 'must be true or false')
    .default('false')
    .transform((text) => text === 'true'),
});

/**
 * Parse the variables of the service. An empty variable counts as absent.
 *
 * @throws {ConfigError} with every problem
 */
function parseSettings(
  env: Readonly<Record<string, string | undefined>>,
): Omit<ServiceSettings, 'requestTimeoutSeconds'> {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = schema.safeParse(given);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`);
    throw new ConfigError('The environment', problems);
  }
  const { data } = parsed;
  return {
    host: data.FORK_SERVICE_HOST,
    port: data.FORK_SERVICE_PORT,
    credential: data.FORK_SERVICE_CREDENTIAL,
    stateDirectory: data.FORK_SERVICE_STATE_DIRECTORY,
    takesPayments: data.FORK_SERVICE_TAKES_PAYMENTS,
  };
}
