import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import packageFile from '../package.json' with { type: 'json' };
import { createServer } from './create-server.js';
import { createHttpServer } from './serve-http.js';
import { readSettings, type TransportKind } from './settings.js';

// Standard output belongs to the protocol, so everything for people goes to standard error.
const log = (message: string) => console.error(message);

async function main(args: readonly string[]): Promise<void> {
  if (args.some((argument) => argument !== '--http'))
    throw new Error('Usage: node apps/mcp/bin/yield-vault-mcp.js [--http]');
  const transport: TransportKind = args.length > 0 ? 'http' : 'stdio';
  const settings = readSettings(process.env, transport);
  const create = () => createServer(settings, packageFile.version);
  if (transport === 'stdio') return create().connect(new StdioServerTransport());
  const server = createHttpServer(create);
  server.on('error', fail);
  const { host, port } = settings;
  server.listen(port, host, () => {
    const address = server.address();
    const bound = typeof address === 'object' && address ? address.port : port;
    log(`MCP listens on http://${host}:${bound}/mcp`);
  });
}

function fail(error: unknown): void {
  log(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}

main(process.argv.slice(2)).catch(fail);
