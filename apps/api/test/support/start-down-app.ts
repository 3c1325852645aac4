import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { loadConfig, type Deployment } from '@yield-vault/deployment';
import { createLogger } from '@yield-vault/server';
import { createApp } from '../../src/create-app.js';

export const newFolder = () => mkdtempSync(join(tmpdir(), 'api-'));

/**
 * Start the local deployment with its real features, and nothing behind them.
 *
 * @param folder - its data, deleted when it stops
 */
export async function startDownApp(
  env: Readonly<Record<string, string>>,
  changes: Partial<Deployment> = {},
  folder = newFolder(),
) {
  const dead = 'http://127.0.0.1:1';
  const { deployment, registry } = loadConfig({
    YIELD_VAULT_CONFIG: resolve(__dirname, '../../../../config/local.yaml'),
    DATA_DIRECTORY: folder,
    BASE_RPC_URL: dead,
    BASE_BUNDLER_URL: dead,
    ETHEREUM_RPC_URL: dead,
    ETHEREUM_BUNDLER_URL: dead,
    ...env,
  });
  const logger = createLogger({ level: 'silent', secrets: [] });
  const app = await createApp({ ...deployment, ...changes }, { registry, logger });
  return {
    get: (url: string) => app.inject({ method: 'GET', url }),
    post: (url: string, payload: object) => app.inject({ method: 'POST', url, payload }),
    stop: async () => {
      await app.close();
      rmSync(folder, { recursive: true });
    },
  };
}
