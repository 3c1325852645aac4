// Use the MCP server with the AI SDK, over HTTP: npm install @ai-sdk/mcp
// Start it by: node apps/mcp/bin/yield-vault-mcp.js --http
import { createMCPClient } from '@ai-sdk/mcp';

const url = process.env.MCP_URL ?? 'http://127.0.0.1:3003/mcp';
const client = await createMCPClient({ transport: { type: 'http', url } });

// With a model: generateText({ model, tools, prompt }).
const tools = await client.tools();
console.log(Object.keys(tools));

const call = async (name, input) => (await tools[name].execute(input, {})).structuredContent;

const { vaults } = await call('discover_vaults', { asset: 'USDC' });
console.log(await call('quote', { vault: vaults[0].vaultAddress, amount: '1000' }));
await client.close();
