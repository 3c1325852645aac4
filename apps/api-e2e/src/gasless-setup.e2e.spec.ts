import { gaslessSetupPath } from '@yield-vault/protocol';
import { createApiClient, type ApiClient, type ErrorBody } from '../test/support/api-client.js';
import { devnetChains, sharedServer } from '../test/support/devnet.js';
import { usdcVault } from '../test/support/funded-agent.js';
import {
  completeGasless,
  createGaslessWallet,
  includedOf,
  prepareGasless,
  signGasless,
  signGaslessIntent,
} from '../test/support/gasless-wallet.js';

const { base } = devnetChains();
let api: ApiClient;
beforeAll(async () => {
  api = await createApiClient(sharedServer('default'));
});

/** Paths of everything in a document that is no object and no array with items. */
function leavesOf(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return entries.length === 0 ? [path] : entries.flatMap(([key, each]) => leavesOf(each, [...path, key]));
}

function changed(value: unknown): unknown {
  if (typeof value === 'number') return value + 1;
  if (Array.isArray(value)) return [['0x' + '12'.repeat(32)]];
  const text = String(value);
  if (!text.startsWith('0x')) return /^\d+$/.test(text) ? String(BigInt(text) + 1n) : `${text}x`;
  if (text === '0x') return '0x12';
  return text.slice(0, -1) + (text.endsWith('0') ? '1' : '0');
}

it('default: a wallet without ether deposits by one operation, whose every field is signed, and redeems', async () => {
  const { vaultId, vaultAddress } = await usdcVault(api);
  const agent = await createGaslessWallet(base, vaultId);
  const { wallet, provider, balanceOf } = agent;
  const { setupType, gaslessSetup } = await prepareGasless(api, agent);
  expect([setupType, gaslessSetup.endpoint]).toEqual(['full', gaslessSetupPath]);
  const completed = await completeGasless(api, await signGasless(agent, gaslessSetup));
  const [item] = completed.execution.intentEnvelope.userOps;
  expect(item).toMatchObject({ userOperation: { initCode: '0x7702' } });
  const request = await signGaslessIntent(agent, completed);

  const accepted: string[] = [];
  for (const path of leavesOf(request.intentEnvelope)) {
    const last = path.at(-1)!;
    // The relay packs the intent signature in its place.
    if (last === 'signature') continue;
    const forged = structuredClone(request);
    let parent = forged.intentEnvelope as unknown as Record<string, unknown>;
    for (const key of path.slice(0, -1)) parent = parent[key] as typeof parent;
    parent[last] = changed(parent[last]);
    const { status, body } = await api.call('POST', '/v1/yield/execute', forged);
    const { code } = body as ErrorBody;
    const isRefused = ['TRANSACTION_VALIDATION_FAILED', 'INVALID_PARAMETERS'].includes(code);
    if (status !== 400 || !isRefused) accepted.push(`${path.join('.')}: ${status} ${code}`);
  }
  expect(accepted).toEqual([]);
  expect(await includedOf(base, wallet.address)).toEqual([]);

  const response = await api.execute(request);
  expect(response).toMatchObject({ result: 'executed', receipt: { status: 'success' } });
  expect(await api.execute(request)).toEqual({ ...response, result: 'already_executed' });
  expect(await includedOf(base, wallet.address)).toEqual([true]);
  const { positions } = await api.status(wallet.address);
  expect(positions).toMatchObject([{ vaultId, depositedAmount: '25' }]);

  const redeem = { operation: 'redeem', agentAddress: wallet.address, vaultId, percentage: 100 };
  const prepared = await api.prepare(redeem);
  if (prepared.needsSetup) throw new Error('The wallet is not set up');
  expect(await api.execute(await signGaslessIntent(agent, prepared))).toMatchObject({ result: 'executed' });
  expect(await balanceOf(vaultAddress)).toBe(0n);
  expect(await provider.getBalance(wallet.address)).toBe(0n);
});
