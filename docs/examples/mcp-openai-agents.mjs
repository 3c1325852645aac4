// Use the MCP server with the OpenAI Agents SDK, over stdio: npm install @openai/agents
import { fileURLToPath } from 'node:url';
import { MCPServerStdio } from '@openai/agents';

const program = fileURLToPath(new URL('../../apps/mcp/bin/yield-vault-mcp.js', import.meta.url));
const server = new MCPServerStdio({ command: process.execPath, args: [program], env: process.env });
await server.connect();

// With a model: new Agent({ name: 'Saver', mcpServers: [server] }).
console.log((await server.listTools()).map(({ name }) => name));

const call = async (name, input) => (await server.callToolResult(name, input)).structuredContent;

const { vaults } = await call('discover_vaults', { asset: 'USDC' });
console.log(await call('quote', { vault: vaults[0].vaultAddress, amount: '1000' }));
await server.close();
