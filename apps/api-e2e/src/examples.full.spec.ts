import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Address } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { createApiClient } from '../test/support/api-client.js';
import { deploySafe } from '../test/support/deploy-safe.js';
import { forkedChains, sharedServer } from '../test/support/devnet.js';

const root = join(__dirname, '../../..');
const docs = join(root, 'docs');
const isInstalled = (command: string, args: readonly string[]) => spawnSync(command, args).status === 0;

describe('examples', () => {
  const YIELD_VAULT_URL = sharedServer('forked');
  const run = async (command: string, file: string) => {
    const env = { PATH: process.env['PATH'], YIELD_VAULT_URL };
    const { stdout } = await promisify(execFile)(command, [join(docs, 'examples', file)], { env });
    return stdout;
  };
  /** Run a JavaScript block of a document as it is printed there. */
  const runBlock = async (document: string, index: number, variables: Record<string, string>) => {
    const blocks = [...readFileSync(join(root, document), 'utf8').matchAll(/```js\n([^]+?)```/g)];
    const env = { PATH: process.env['PATH'], YIELD_VAULT_URL, ...variables };
    const args = ['--input-type=module', '--eval', blocks[index]![1]!];
    return (await promisify(execFile)(process.execPath, args, { cwd: __dirname, env })).stdout;
  };

  it('behavior: the program of rest.md deposits and redeems', async () => {
    const output = await runBlock('docs/rest.md', 0, {});
    expect(output.match(/result: 'executed'/g)).toHaveLength(2);
    expect(output).toMatch(/depositedAmount: '25'[^]*positionCount: 0/);
  });

  it.each([
    ['libs/agent-client/README.md', "depositedAmount: '25'"],
    ['docs/signing.md', 'modulesVerified: true'],
  ])('behavior: the JavaScript of %s runs as it is printed there', async (document, output) => {
    const PRIVATE_KEY = generatePrivateKey();
    const { walletRpcUrl: BASE_RPC_URL } = forkedChains().base;
    const api = await createApiClient(YIELD_VAULT_URL);
    const walletAddress = privateKeyToAddress(PRIVATE_KEY);
    const amounts = { ethWei: '10000000000000000', usdcAmount: '50000000' };
    await api.fundWallet({ chain: 'base', walletAddress, ...amounts });
    expect(await runBlock(document, 0, { PRIVATE_KEY, BASE_RPC_URL })).toContain(output);
  });

  describe('plain calls', () => {
    const PRIVATE_KEY = generatePrivateKey();
    const owner = privateKeyToAddress(PRIVATE_KEY);
    const runCalls = async (block: number, from: Address, more: Record<string, string> = {}) => {
      const { walletRpcUrl: BASE_RPC_URL } = forkedChains().base;
      const api = await createApiClient(YIELD_VAULT_URL);
      const amounts = { ethWei: '10000000000000000', usdcAmount: '50000000' };
      for (const walletAddress of new Set([owner, from]))
        await api.fundWallet({ chain: 'base', walletAddress, ...amounts });
      return runBlock('docs/calls.md', block, { PRIVATE_KEY, BASE_RPC_URL, ...more });
    };

    it('behavior: an EOA deposits and redeems', async () => {
      const output = await runCalls(1, owner);
      expect(output).toMatch(/deposit 25 USDC into[^]*redeem \d+ base units of share token/);
      expect(output.match(/0x[0-9a-f]{64}/g)).toHaveLength(4);
    });

    it('behavior: a wallet deposits by EIP-5792', async () => {
      expect(await runCalls(2, owner)).toMatch(/deposit 25 USDC into[^]*success 2/);
    });

    it('behavior: a Safe deposits and redeems', async () => {
      const { safe, multiSend } = await deploySafe(forkedChains().base.walletRpcUrl, owner);
      const output = await runCalls(3, safe, { SAFE: safe, MULTI_SEND: multiSend });
      expect(output).toMatch(/deposit 25 USDC into[^]*success[^]*redeem[^]*success/);
    });
  });

  it('behavior: curl.sh prepares a setup', async () => {
    const lines = (await run('bash', 'curl.sh')).trim().split('\n');
    const responses = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(responses).toHaveLength(7);
    expect(responses[5]).toMatchObject({ needsSetup: true, gaslessSetup: { permit: null } });
  });

  if (isInstalled('python3', ['-c', 'import eth_account'])) {
    it('behavior: python.py deposits and redeems', async () => {
      const output = await run('python3', 'python.py');
      expect(output.match(/"result": "executed"/g)).toHaveLength(2);
      expect(output).toMatch(/"depositedAmount": "25"[^]*"positionCount": 0/);
    });
  } else process.stderr.write('eth_account is not installed: python.py is not run.\n');
});
