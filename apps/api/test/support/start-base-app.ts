import { resolve } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Deployment } from '@yield-vault/chains';
import { createLogger } from '@yield-vault/server';
import { createApp } from '../../src/composition/create-app.js';
import { loadConfig } from '../../src/config/load-config.js';

type ChainConfig = Deployment['chains'][string];

/**
 * Start the local deployment with one chain, and an hour of history.
 *
 * @param env - what its file takes from the environment; Ethereum is left out, whatever is said of it
 * @param changeBase - what is to be different for Base
 */
export function startBaseApp(
  env: Readonly<Record<string, string>>,
  changeBase: Partial<ChainConfig>,
): Promise<NestFastifyApplication> {
  const nowhere = 'http://127.0.0.1:1';
  const { deployment, registry } = loadConfig({
    YIELD_VAULT_CONFIG: resolve(__dirname, '../../../../config/local.yaml'),
    ETHEREUM_RPC_URL: nowhere,
    ETHEREUM_BUNDLER_URL: nowhere,
    ...env,
  });
  const { base } = deployment.chains;
  if (!base) throw new Error('The local deployment has no base');
  return createApp(
    {
      ...deployment,
      discovery: { ...deployment.discovery, backfillHours: 1 },
      chains: { base: { ...base, ...changeBase } },
    },
    { registry, logger: createLogger({ level: 'silent', secrets: [] }) },
  );
}
