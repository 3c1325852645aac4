import { resolve } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Deployment } from '@yield-vault/deployment';
import { createLogger } from '@yield-vault/server';
import { createApp } from '../../src/create-app.js';
import { loadConfig } from '@yield-vault/deployment';

type ChainConfig = Deployment['chains'][string];

/**
 * Start the local deployment with one chain, and a day of history, so that vaults are listed.
 *
 * @param env - variables of its file; Ethereum is always left out
 * @param changeBase - changes for Base
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
      discovery: { ...deployment.discovery, backfillHours: 26 },
      chains: { base: { ...base, ...changeBase } },
    },
    { registry, logger: createLogger({ level: 'silent', secrets: [] }) },
  );
}
