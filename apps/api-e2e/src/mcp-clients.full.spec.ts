import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { sharedServer } from '../test/support/devnet.js';
import { startHttpMcp, type Mcp } from '../test/support/start-mcp.js';

const root = join(__dirname, '../../..');
const support = join(__dirname, '../test/support');
const conformance = join(root, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');

describe('mcp and the clients of others', () => {
  const service = { SERVICE_URL: sharedServer('forked'), ADDRESS_BOOK: 'local' };
  let mcp: Mcp & { readonly url: string };
  beforeAll(async () => {
    mcp = await startHttpMcp(service);
  });
  afterAll(() => mcp?.stop());

  const run = async (args: readonly string[]) => {
    const env = { PATH: process.env['PATH'], MCP_URL: mcp.url, ...service };
    return (await promisify(execFile)(process.execPath, args, { env, cwd: root })).stdout;
  };

  it('default: the conformance suite, without scenarios of features that the server does not have', async () => {
    const hooks = join(support, 'conformance-hooks.mjs');
    const baseline = ['--expected-failures', join(support, 'conformance-baseline.yaml')];
    // It fails on a scenario that is neither passed nor in the list, and on one in the list that passes.
    const output = await run(['--import', hooks, conformance, 'server', '--url', mcp.url, ...baseline]);
    expect(output).toContain('dns-rebinding-protection');
  });

  const page = readFileSync(join(root, 'docs/mcp-clients.md'), 'utf8');
  const programs = [...page.matchAll(/^## (.+)\n[^]+?```js\n([^]+?)```/gm)];

  it.each(programs.map(([, name, code]) => [name, code!] as const))(
    'default: %s lists tools, ranks vaults and simulates a deposit',
    async (_, code) => {
      const output = await run(['--input-type=module', '--eval', code]);
      expect(output).toMatch(/discover_vaults[^]*alternatives[^]*apyAfter: \d/);
    },
  );
});
