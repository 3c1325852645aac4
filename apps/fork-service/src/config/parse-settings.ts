import { ConfigError } from '@yield-vault/server';
import { z } from 'zod';
import type { ServiceSettings } from '../settings.js';

// A value never stands in a message: the credential must not be shown.
const schema = z.object({
  FORK_SERVICE_HOST: z.string().default('127.0.0.1'),
  FORK_SERVICE_PORT: z
    .string()
    .regex(/^\d{1,5}$/, 'must be a port number')
    .default('3100')
    .transform(Number)
    .refine((port) => port <= 65_535, 'must be a port number'),
  FORK_SERVICE_CREDENTIAL: z
    .string('is required: the secret of at least 16 characters that operators identify with')
    .min(16, 'must have at least 16 characters')
    .regex(/^[\x21-\x7e]+$/, 'must have printable ASCII characters only, and no space'),
  FORK_SERVICE_STATE_DIRECTORY: z.string().optional(),
  FORK_SERVICE_INSTANCE: z
    .string()
    .regex(/^[a-z0-9]{1,16}$/, 'must be 1 to 16 lower-case letters and digits')
    .optional(),
  FORK_SERVICE_TAKES_PAYMENTS: z
    .enum(['true', 'false'], 'must be true or false')
    .default('false')
    .transform((text) => text === 'true'),
});

/**
 * Parse the variables of the service; an empty one counts as absent.
 *
 * @throws {ConfigError} with every problem
 */
export function parseSettings(
  env: Readonly<Record<string, string | undefined>>,
): Omit<ServiceSettings, 'requestTimeoutSeconds'> {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = schema.safeParse(given);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`);
    throw new ConfigError('The environment', problems);
  }
  const {
    FORK_SERVICE_HOST: host,
    FORK_SERVICE_PORT: port,
    FORK_SERVICE_CREDENTIAL: credential,
    FORK_SERVICE_STATE_DIRECTORY: stateDirectory,
    FORK_SERVICE_INSTANCE: instance,
    FORK_SERVICE_TAKES_PAYMENTS: takesPayments,
  } = parsed.data;
  return {
    host,
    port,
    credential,
    ...(stateDirectory !== undefined && { stateDirectory }),
    ...(instance !== undefined && { instance }),
    ...(takesPayments && { takesPayments }),
  };
}
