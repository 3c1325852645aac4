import { serveStdio } from '@modelcontextprotocol/server/stdio';
import packageFile from '../package.json' with { type: 'json' };
import { createServerFactory } from './create-server.js';
import { createHttpServer } from './serve-http.js';
import { readSettings, type TransportKind } from './settings.js';

// Standard output belongs to the protocol, so everything for people goes to standard error.
const log = (message: string | Error) => console.error(message instanceof Error ? message.message : message);

function main(args: readonly string[]): void {
  if (args.some((argument) => argument !== '--http'))
    throw new Error('Usage: node apps/mcp/bin/yield-vault-mcp.js [--http]');
  const transport: TransportKind = args.length > 0 ? 'http' : 'stdio';
  const settings = readSettings(process.env, transport);
  const create = createServerFactory(settings, packageFile.version);
  if (transport === 'stdio') {
    serveStdio(create, { onerror: log });
    return;
  }
  const server = createHttpServer(create);
  server.on('error', fail);
  const { host, port } = settings;
  server.listen(port, host, () => {
    const address = server.address();
    const bound = typeof address === 'object' && address ? address.port : port;
    log(`MCP listens on http://${host}:${bound}/mcp`);
  });
}

function fail(error: Error): void {
  log(error);
  process.exitCode = 1;
}

try {
  main(process.argv.slice(2));
} catch (error) {
  fail(error as Error);
}
