import { McpServer } from '@modelcontextprotocol/server';
import { createAgentClient } from '@yield-vault/agent-client';
import { testKey } from '@yield-vault/testing';
import { shippedRegistry } from '@yield-vault/vault-discovery/registry';
import { connect, errorOf } from '../../test/connect.js';
import type { KeyRunner } from './runner.js';
import { addKeyTools } from './tools.js';
import { readSettings } from '../settings.js';

const vault = '0x4791cb70E233BD6120b81e1dB416589E38B1843C';

async function start(more: NodeJS.ProcessEnv) {
  const env = {
    PRIVATE_KEY: testKey('agent'),
    RPC_URL: 'http://127.0.0.1:1',
    MAX_AMOUNT: '25',
    MAX_DAILY: '50',
  };
  const settings = readSettings({ ...env, ...more }, 'stdio');
  const client = createAgentClient({ baseUrl: settings.serviceUrl });
  const server = new McpServer({ name: 'test', version: '1' });
  const run = jest.fn((..._: Parameters<KeyRunner>) => Promise.resolve({ text: 'done', data: {} }));
  const spend = jest.fn();
  addKeyTools({ server, client, settings }, { key: settings.key!, run, spend });
  return { caller: await connect(server), run, spend };
}

it('behavior: the key signs within the gas and the vaults that the user allows', async () => {
  const { caller, run } = await start({ ALLOWED_VAULTS: vault, MAX_GAS_USDC: '12' });
  const target = '0x3000000000000000000000000000000000000003';
  expect(await caller.callTool({ name: 'rebalance', arguments: { vault, target } })).toMatchObject({
    isError: true,
  });
  expect(run).not.toHaveBeenCalled();
  await caller.callTool({ name: 'redeem', arguments: { vault, percentage: 100 } });
  expect(run).toHaveBeenCalledWith(expect.objectContaining({ maxGasUsdc: 12_000_000n }), expect.anything(), {
    after: undefined,
    reserve: undefined,
  });
});

it('behavior: only a deposit counts to the daily total', async () => {
  const { caller, run, spend } = await start({ ALLOWED_VAULTS: vault });
  await caller.callTool({ name: 'deposit', arguments: { vault, amount: '25' } });
  run.mock.lastCall?.[2]?.reserve?.();
  expect(spend).toHaveBeenCalledWith('USDC', '25');
});

it.each([
  ['its output schema refuses', { setupTxHash: 5 }],
  ['nests too deeply', { deep: JSON.parse('['.repeat(1e5) + ']'.repeat(1e5)) as unknown }],
])('attack: an executed operation whose result %s is not repeated', async (_, hostile) => {
  const { caller, run } = await start({ ALLOWED_VAULTS: vault });
  const [txHash, intentId] = [`0x${'1a'.repeat(32)}`, `0x${'5c'.repeat(32)}`];
  run.mockResolvedValue({ text: 'done', data: { txHash, intentId, ...hostile } });
  const result = await caller.callTool({ name: 'deposit', arguments: { vault, amount: '25' } });
  expect(errorOf(result)).toMatchObject({
    code: 'RESULT_UNREADABLE',
    nextAction: expect.stringMatching(/^Do not repeat/) as string,
    details: { txHash, intentId },
  });
});

it('attack: without target, a rebalance goes only to a vault that the user named', async () => {
  const rebalance = { name: 'rebalance', arguments: { vault, riskTolerance: 'low' } };
  const { caller, run } = await start({ ALLOWED_VAULTS: vault });
  await caller.callTool(rebalance);
  expect(run.mock.lastCall?.[1]).toMatchObject({ targets: [vault] });
  const shipped = shippedRegistry().find(({ chainId }) => chainId === 8453)!.address;
  const unlimited = await start({});
  const refused = await unlimited.caller.callTool({ ...rebalance, arguments: { vault: shipped } });
  expect(errorOf(refused)).toMatchObject({ code: 'VAULT_NOT_ALLOWED' });
  expect(unlimited.run).not.toHaveBeenCalled();
});
