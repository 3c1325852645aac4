import { testKey } from '@yield-vault/testing';
import { connect, errorOf, textsOf } from '../test/connect.js';
import { createServerFactory } from './create-server.js';
import { readSettings } from './settings.js';

const vault = '0x4791cb70E233BD6120b81e1dB416589E38B1843C';
const keyEnv = {
  PRIVATE_KEY: testKey('agent'),
  RPC_URL: 'http://127.0.0.1:1',
  MAX_AMOUNT: '25',
  MAX_DAILY: '50',
};

const start = (env: NodeJS.ProcessEnv = {}) =>
  connect(
    createServerFactory(readSettings({ SERVICE_URL: 'http://127.0.0.1:1', ...env }, 'stdio'), '0.1.0')(),
  );

it('default: eleven tools, each with a schema of its input and of its output', async () => {
  const { tools } = await (await start()).listTools();
  expect(tools.map(({ name }) => name)).toEqual([
    ...['discover_vaults', 'explain_vault', 'quote', 'alternatives', 'vault_history', 'positions'],
    ...['intent_status', 'prepare', 'gasless_setup', 'verify', 'execute'],
  ]);
  for (const { inputSchema, outputSchema, description } of tools)
    expect([
      inputSchema.type,
      inputSchema['additionalProperties'],
      outputSchema?.['type'],
      description,
    ]).toEqual(['object', false, 'object', expect.stringMatching(/\.$/)]);
});

it('behavior: with a key also the tools that sign, which say for which wallet', async () => {
  const client = await start(keyEnv);
  const { tools } = await client.listTools();
  const signing = tools.filter(({ annotations }) => annotations?.idempotentHint === false);
  expect(signing.map(({ name }) => name)).toEqual(['deposit', 'redeem', 'rebalance']);
  expect(client.getInstructions()).toMatch(/sign with the wallet 0x[0-9a-fA-F]{40}/);
});

it.each([
  ['an unknown argument', 'discover_vaults', { chains: 'base' }],
  ['an address with a wrong checksum', 'explain_vault', { vault: vault.replace('E', 'e') }],
  ['an amount that is no number', 'deposit', { vault, amount: '1e3' }],
])('error: %s', async (_, name, args) => {
  const result = await (await start(keyEnv)).callTool({ name, arguments: args });
  expect([result.isError, textsOf(result)]).toEqual([true, [expect.stringContaining(name)]]);
});

it('error: a service that does not respond', async () => {
  const result = await (await start()).callTool({ name: 'discover_vaults', arguments: {} });
  expect(result).not.toHaveProperty('structuredContent');
  expect(errorOf(result)).toMatchObject({ code: 'SERVICE_UNREACHABLE' });
});
