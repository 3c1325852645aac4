import { createServer, type Server, type ServerResponse } from 'node:http';
import {
  localhostHostValidation,
  localhostOriginValidation,
  toNodeHandler,
} from '@modelcontextprotocol/node';
import { createMcpHandler, type McpServer } from '@modelcontextprotocol/server';

const path = '/mcp';

/** Create the HTTP server: streamable HTTP without sessions, a server of MCP for each request. */
export function createHttpServer(createMcp: () => McpServer): Server {
  // A page of another site could reach a server on loopback by DNS rebinding. Browsers send its origin and its host.
  const guards = [localhostHostValidation(), localhostOriginValidation()];
  const handle = toNodeHandler(createMcpHandler(createMcp, { onerror: console.error }), {
    onerror: console.error,
  });
  return createServer((request, response) => {
    if (!guards.every((passes) => passes(request, response))) return;
    if (request.url?.split('?')[0] === path) void handle(request, response);
    else refuse(response, 404, `MCP is served on ${path}.`);
  });
}

function refuse(response: ServerResponse, status: number, message: string): void {
  const body = { jsonrpc: '2.0', error: { code: -32_000, message }, id: null };
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
