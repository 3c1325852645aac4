import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

const path = '/mcp';
const loopback = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Create the HTTP server: streamable HTTP without sessions, a server of MCP for each request. */
export function createHttpServer(createMcp: () => McpServer): Server {
  return createServer((request, response) => {
    handle(request, response, createMcp).catch((error: unknown) => {
      console.error(error);
      response.destroy();
    });
  });
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  createMcp: () => McpServer,
): Promise<void> {
  // A page of another site could reach a server on loopback by DNS rebinding. Browsers send its origin.
  if (!isOwnOrigin(request.headers.origin)) return refuse(response, 403, 'This origin is not allowed.');
  if (request.url?.split('?')[0] !== path) return refuse(response, 404, `MCP is served on ${path}.`);
  if (request.method !== 'POST')
    return refuse(response.setHeader('allow', 'POST'), 405, 'Send a POST request.');
  const mcp = createMcp();
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
  response.on('close', () => void mcp.close());
  await mcp.connect(transport);
  await transport.handleRequest(request, response);
}

function isOwnOrigin(origin: string | undefined): boolean {
  if (origin === undefined) return true;
  return URL.canParse(origin) && loopback.has(new URL(origin).hostname);
}

function refuse(response: ServerResponse, status: number, message: string): void {
  const body = { jsonrpc: '2.0', error: { code: -32_000, message }, id: null };
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
