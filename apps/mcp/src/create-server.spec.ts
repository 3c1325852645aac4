import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { testKey } from '@yield-vault/testing';
import { createServer } from './create-server.js';
import { readSettings } from './settings.js';

const vault = '0x4791cb70E233BD6120b81e1dB416589E38B1843C';
const keyEnv = { PRIVATE_KEY: testKey('agent'), RPC_URL: 'http://127.0.0.1:1', MAX_AMOUNT: '25' };

async function connect(env: NodeJS.ProcessEnv = {}) {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const service = { SERVICE_URL: 'http://127.0.0.1:1' };
  await createServer(readSettings({ ...service, ...env }, 'stdio'), '0.1.0').connect(ours);
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(theirs);
  return client;
}

it('default: ten tools, each with a schema whose fields are described', async () => {
  const { tools } = await (await connect()).listTools();
  expect(tools.map(({ name }) => name)).toEqual([
    ...['discover_vaults', 'explain_vault', 'quote', 'alternatives', 'vault_history', 'positions'],
    ...['intent_status', 'prepare', 'verify', 'execute'],
  ]);
  for (const { inputSchema, description } of tools)
    expect([inputSchema.type, inputSchema['additionalProperties'], description]).toEqual([
      'object',
      false,
      expect.stringMatching(/\.$/),
    ]);
});

it('behavior: with a key also the tools that sign, which say for which wallet', async () => {
  const client = await connect(keyEnv);
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
  const result = await (await connect(keyEnv)).callTool({ name, arguments: args });
  expect(result).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining(name) as string }],
  });
});

it('error: a service that does not respond', async () => {
  const result = await (await connect()).callTool({ name: 'discover_vaults', arguments: {} });
  expect(result).toMatchObject({
    isError: true,
    structuredContent: { error: { code: 'SERVICE_UNREACHABLE' } },
  });
});
