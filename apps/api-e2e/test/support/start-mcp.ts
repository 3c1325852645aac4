import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { Client, StreamableHTTPClientTransport, type RequestOptions } from '@modelcontextprotocol/client';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const program = join(resolve(__dirname, '../../../..'), 'apps/mcp/bin/yield-vault-mcp.js');
const tie = process.platform === 'linux' ? ['setpriv', '--pdeathsig', 'KILL'] : [];
const [command = '', ...args] = [...tie, process.execPath, program];

type Env = Readonly<Record<string, string>>;

/** The result of a tool. */
export interface ToolResult {
  readonly isError: boolean;
  readonly text: string;
  // Each test reads the fields that it is about.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly data: any;
}

/** The official client, connected to a server of ours. */
export interface Mcp {
  readonly client: Client;
  call(name: string, given?: object, options?: RequestOptions): Promise<ToolResult>;
  stop(): Promise<void>;
}

/** Start a server for one client, as a desktop application would. */
export async function startStdioMcp(env: Env): Promise<Mcp> {
  const transport = new StdioClientTransport({ command, args, env: { ...getDefaultEnvironment(), ...env } });
  return connect(transport, () => Promise.resolve());
}

/** Start a server over HTTP on a free port, and a client. */
export async function startHttpMcp(env: Env): Promise<Mcp & { readonly url: string }> {
  const child = spawn(command, [...args, '--http'], {
    env: { ...getDefaultEnvironment(), PORT: '0', ...env },
  });
  const url = await new Promise<string>((done, refuse) => {
    let log = '';
    child.stderr.on('data', (chunk: Buffer) => {
      log += String(chunk);
      const listening = /http:\S+/.exec(log);
      if (listening) done(listening[0]);
    });
    child.once('exit', () => refuse(new Error(`The MCP server ended: ${log}`)));
  });
  const mcp = await connect(new StreamableHTTPClientTransport(new URL(url)), async () => {
    const ended = new Promise((done) => child.once('exit', done));
    child.kill('SIGTERM');
    await ended;
  });
  return { ...mcp, url };
}

async function connect(
  transport: StdioClientTransport | StreamableHTTPClientTransport,
  end: () => Promise<void>,
): Promise<Mcp> {
  const client = new Client({ name: 'api-e2e', version: '1' });
  await client.connect(transport);
  return {
    client,
    call: async (name, given = {}, options = {}) => {
      const result = await client.callTool({ name, arguments: { ...given } }, options);
      const texts = result.content.map((part) => (part.type === 'text' ? part.text : ''));
      const isError = result.isError === true;
      const data: unknown = isError ? JSON.parse(texts[1] ?? '{}') : result.structuredContent;
      return { isError, text: texts[0] ?? '', data };
    },
    stop: async () => {
      await client.close();
      await end();
    },
  };
}
