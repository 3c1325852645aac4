import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { createAgentClient } from '@yield-vault/agent-client';
import { testKey } from '@yield-vault/testing';
import { addKeyTools } from './key-tools.js';
import { readSettings } from './settings.js';

const vault = '0x4791cb70E233BD6120b81e1dB416589E38B1843C';

it('behavior: the key signs within the gas and the vaults that the user allows', async () => {
  const env = { PRIVATE_KEY: testKey('agent'), RPC_URL: 'http://127.0.0.1:1', MAX_AMOUNT: '25' };
  const settings = readSettings({ ...env, ALLOWED_VAULTS: vault, MAX_GAS_USDC: '12' }, 'stdio');
  const client = createAgentClient({ baseUrl: settings.serviceUrl });
  const server = new McpServer({ name: 'test', version: '1' });
  const run = jest.fn(() => Promise.resolve({ text: 'done', data: {} }));
  addKeyTools({ server, client, settings }, settings.key!, run);
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await server.connect(ours);
  const caller = new Client({ name: 'test', version: '1' });
  await caller.connect(theirs);
  const target = '0x3000000000000000000000000000000000000003';
  expect(await caller.callTool({ name: 'rebalance', arguments: { vault, target } })).toMatchObject({
    isError: true,
  });
  expect(run).not.toHaveBeenCalled();
  await caller.callTool({ name: 'redeem', arguments: { vault, percentage: 100 } });
  expect(run).toHaveBeenCalledWith(
    expect.objectContaining({ maxGasUsdc: 12_000_000n }),
    expect.anything(),
    expect.anything(),
  );
});
