import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { StatusBatchResponse } from '@yield-vault/protocol';
import { createApiClient } from '../test/support/api-client.js';
import { devnetChains, forkedChains, sharedServer } from '../test/support/devnet.js';
import { usdcVault } from '../test/support/funded-agent.js';
import { createGaslessWallet } from '../test/support/gasless-wallet.js';

it('default: docs/fleets.md deposits from twenty wallets, finds idle money, and redeems', async () => {
  const document = readFileSync(join(__dirname, '../../../docs/fleets.md'), 'utf8');
  const [, program = ''] = /```js\n([^]+?)```/.exec(document) ?? [];
  const env = {
    PATH: process.env['PATH'],
    YIELD_VAULT_URL: sharedServer('forked'),
    BASE_RPC_URL: forkedChains().base.walletRpcUrl,
  };
  const args = ['--input-type=module', '--eval', program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: __dirname, env });
  expect(stdout).toMatch(/idle:( 2[345]\.\d+){20}\n/);
  expect(stdout).toContain('intents of the first wallet: 3');
}, 180_000);

it('behavior: a batch over HTTP equals the statuses of its wallets', async () => {
  const api = await createApiClient(sharedServer('default'));
  const { base } = devnetChains();
  const { vaultId } = await usdcVault(api);
  const { deposit } = await createGaslessWallet(base, vaultId);
  const other = '0x000000000000000000000000000000000000dEaD';
  const userAddresses = [other, deposit.agentAddress, other];
  const { status, body } = await api.call('POST', '/v1/yield/status/batch', { userAddresses });
  expect(status).toBe(200);
  const { wallets } = body as StatusBatchResponse;
  for (const [index, userAddress] of userAddresses.entries()) {
    const { body: single } = await api.call('GET', `/v1/yield/status?userAddress=${userAddress}`);
    expect(wallets[index]).toEqual({ userAddress, ...(single as object) });
  }
  const usdc = { asset: 'USDC', amount: '50' };
  expect(wallets[1]?.wallets['base']).toEqual({ setup: 'none', idle: [usdc], exitGasUsd: 0 });
});
