import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { sharedForkService } from '../test/support/devnet.js';
import { startServer, type Server } from '../test/support/start-server.js';

const docs = join(__dirname, '../../../docs');
const isInstalled = (command: string, args: readonly string[]) => spawnSync(command, args).status === 0;

describe('docs/examples', () => {
  let server: Server;
  beforeAll(async () => {
    server = await startServer({ forkService: sharedForkService(), backfillHours: 48 });
  }, 90_000);
  afterAll(() => server?.stop());

  const run = async (command: string, file: string) => {
    const env = { PATH: process.env['PATH'], YIELD_VAULT_URL: server.url };
    const { stdout } = await promisify(execFile)(command, [join(docs, 'examples', file)], { env });
    return stdout;
  };

  it.each(['ethers.mjs', 'viem.mjs'])('behavior: %s deposits and redeems', async (file) => {
    const output = await run(process.execPath, file);
    expect(output.match(/result: 'executed'/g)).toHaveLength(2);
    expect(output).toMatch(/depositedAmount: '25'[^]*positionCount: 0/);
  });

  it('behavior: curl.sh prepares a setup', async () => {
    const lines = (await run('bash', 'curl.sh')).trim().split('\n');
    const responses = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(responses).toHaveLength(7);
    expect(responses[5]).toMatchObject({ needsSetup: true, gaslessSetup: { permit: {} } });
  });

  if (isInstalled('python3', ['-c', 'import eth_account'])) {
    it('behavior: python.py deposits and redeems', async () => {
      const output = await run('python3', 'python.py');
      expect(output.match(/"result": "executed"/g)).toHaveLength(2);
      expect(output).toMatch(/"depositedAmount": "25"[^]*"positionCount": 0/);
    });
  } else process.stderr.write('eth_account is not installed: python.py is not run.\n');
});

it('docs/rest.md shows ethers.mjs, piece by piece', () => {
  const blocks = [...readFileSync(join(docs, 'rest.md'), 'utf8').matchAll(/```js\n([^]+?)```/g)];
  const shown = blocks.map(([, code]) => code!.trim()).join('\n');
  const program = readFileSync(join(docs, 'examples/ethers.mjs'), 'utf8');
  const withoutComments = program
    .replaceAll(/^\/\/.*\n/gm, '')
    .replaceAll(/\n{2,}/g, '\n')
    .trim();
  expect(shown.replaceAll(/\n{2,}/g, '\n')).toBe(withoutComments);
});
