// Use the MCP server with LangChain, over stdio: npm install @langchain/mcp-adapters @langchain/core
import { fileURLToPath } from 'node:url';
import { MultiServerMCPClient } from '@langchain/mcp-adapters';

const program = fileURLToPath(new URL('../../apps/mcp/bin/yield-vault-mcp.js', import.meta.url));
const server = { transport: 'stdio', command: process.execPath, args: [program], env: process.env };
const client = new MultiServerMCPClient({ mcpServers: { 'yield-vault': server } });

// With a model: createAgent({ model, tools }).
const tools = await client.getTools();
console.log(tools.map(({ name }) => name));

async function call(name, args) {
  const tool = tools.find((one) => one.name === name);
  // An error of the tool is thrown.
  const { artifact } = await tool.invoke({ type: 'tool_call', id: name, name, args });
  return artifact.find(({ type }) => type === 'mcp_structured_content').data;
}

const { vaults } = await call('discover_vaults', { asset: 'USDC' });
console.log(await call('quote', { vault: vaults[0].vaultAddress, amount: '1000' }));
await client.close();
