import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { createAgentClient, type ExecuteRequest } from '@yield-vault/agent-client';
import type { VaultCandidate } from '@yield-vault/protocol';
import { startRpcProxy } from '@yield-vault/testing';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { forkedChains, sharedServer } from '../test/support/devnet.js';
import { startLossyProxy } from '../test/support/start-lossy-proxy.js';

const library = resolve(__dirname, '../../../libs/agent-client');
const program = join(library, 'bin/yield-vault-agent.js');

// Each command is a process of its own.
jest.setTimeout(180_000);

describe('node libs/agent-client/bin/yield-vault-agent.js', () => {
  const YIELD_VAULT_URL = sharedServer('forked');
  const { walletRpcUrl: RPC_URL } = forkedChains().base;
  const PRIVATE_KEY = generatePrivateKey();
  const WALLET = privateKeyToAddress(PRIVATE_KEY);
  let folder: string;
  let VAULT: string;

  const start = async (command: string, args: readonly string[], more: NodeJS.ProcessEnv, input = '') => {
    const env = { PATH: process.env['PATH'], YIELD_VAULT_URL, RPC_URL, PRIVATE_KEY, ...more };
    const child = spawn(command, args, { cwd: folder, env });
    child.stdin.end(input);
    const ended = new Promise<number | null>((done) => child.once('exit', done));
    const [out, notes] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { code: await ended, out, notes };
  };
  const run = (args: readonly string[], input = '', more: NodeJS.ProcessEnv = {}) =>
    start(process.execPath, [program, ...args, '--local'], more, input);
  const json = async <T>(args: readonly string[], input = '') => {
    const { code, out, notes } = await run([...args, '--json'], input);
    expect([code, notes]).toEqual([0, '']);
    return JSON.parse(out) as T;
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'command-'));
    const client = createAgentClient({ baseUrl: YIELD_VAULT_URL });
    // Four deposits, and one call mints at most 50 USDC.
    for (let left = 3; left > 0; left -= 1)
      await client.fundWallet({ chain: 'base', walletAddress: WALLET, usdcAmount: '50000000' });
    const args = ['discover', '--asset', 'USDC', '--limit', '20'];
    const { vaults } = await json<{ vaults: VaultCandidate[] }>(args);
    VAULT = vaults[0]!.vaultId;
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const deposit = () => ['deposit', '--vault', VAULT, '--amount', '25'];
  const prepare = async () => (await run(['prepare', ...deposit(), '--wallet', WALLET])).out;
  const sign = (prepared: string) => json<ExecuteRequest>(['sign', '-', ...deposit()], prepared);

  it('behavior: a wallet with USDC alone deposits in one command', async () => {
    const { code, out, notes } = await run(['execute', ...deposit()]);
    expect([code, out]).toEqual([0, expect.stringContaining("result: 'executed'")]);
    expect(notes).toMatch(/delegate your wallet to[^]+deposit 25 USDC into[^]+Executed in transaction 0x/);
  });

  it('behavior: step by step from prepare to intents, and nothing else is signed', async () => {
    const prepared = await prepare();
    const verified = await run(['verify', '-', ...deposit(), '--wallet', WALLET], prepared);
    expect(verified).toMatchObject({ code: 0, out: expect.stringContaining('deposit 25 USDC into') });
    const intent = await sign(prepared);
    const other = await run(['sign', '-', ...deposit(), '--amount', '24', '--json'], prepared);
    expect([other.code, other.out]).toEqual([1, '']);
    expect(JSON.parse(other.notes)).toMatchObject({ code: 'AMOUNT_MISMATCH' });

    const executed = await json<{ txHash: string }>(['execute', '-'], JSON.stringify(intent));
    expect(executed).toMatchObject({ result: 'executed', positionUpdate: { assetsDelta: '25' } });
    const again = await json<{ txHash: string }>(['execute', '-'], JSON.stringify(intent));
    expect(again).toMatchObject({ result: 'already_executed', txHash: executed.txHash });
    const status = await json(['status', WALLET]);
    expect(status).toMatchObject({ positions: [{ vaultId: VAULT, depositedAmount: '50' }] });
    const { merkleRoot: intentId } = intent.intentEnvelope;
    expect(await json(['intents', intentId])).toMatchObject({ intentId, state: 'confirmed' });
    const listed = await json(['intents', '--wallet', WALLET, '--limit', '1']);
    expect(listed).toMatchObject({ count: 1, intents: [{ intentId }] });
  });

  it('error: exit code 3 with the signed intent while its outcome is hidden; execute resolves it', async () => {
    const intent = await sign(await prepare());
    const { merkleRoot } = intent.intentEnvelope;
    const lossy = ['/v1/yield/execute', `/v1/yield/intents/${merkleRoot}`];
    const service = await startLossyProxy(YIELD_VAULT_URL, lossy);
    const node = await startRpcProxy(RPC_URL);
    const hidesMost = (calls: readonly { method: string }[]) =>
      calls.some(({ method }) => method !== 'eth_chainId') ? Promise.resolve('cut' as const) : undefined;
    node.addHook(hidesMost);
    try {
      const hidden = { YIELD_VAULT_URL: service.url, RPC_URL: node.url };
      const pending = await run(['execute', '-', '--json'], JSON.stringify(intent), hidden);
      expect([pending.code, JSON.parse(pending.out)]).toEqual([3, intent]);
      const { expiry } = intent.intentEnvelope;
      expect(JSON.parse(pending.notes)).toMatchObject({ code: 'IntentPendingError', details: { expiry } });
      const found = await json(['execute', '-'], pending.out);
      expect(found).toMatchObject({ result: 'already_executed' });
    } finally {
      await Promise.all([service.stop(), node.stop()]);
    }
  });

  it('error: exit code 4 when service or node is down, and nothing is signed', async () => {
    const down = 'http://127.0.0.1:1';
    for (const env of [{ YIELD_VAULT_URL: down }, { RPC_URL: down }]) {
      const { code, out } = await run(['execute', ...deposit()], '', env);
      expect([code, out]).toEqual([4, '']);
    }
  });

  if (process.platform === 'linux')
    it('error: a full disk leaves the outcome unknown', async () => {
      const script = '"$0" "$@" > /dev/full';
      const { code, notes } = await start('bash', ['-c', script, process.execPath, program, 'discover'], {});
      expect([code, notes]).toEqual([3, expect.stringContaining('ENOSPC')]);
    });

  it('behavior: the commands of SKILL.md run as they are printed there', async () => {
    const blocks = readFileSync(join(library, 'SKILL.md'), 'utf8').matchAll(/```sh\n([^]+?)```/g);
    const script = [...blocks].map(([, block]) => block).join('');
    const node = `#!/bin/sh\n[ "$1" = "libs/agent-client/bin/yield-vault-agent.js" ] && shift\nexec "${process.execPath}" "${program}" --local "$@"\n`;
    writeFileSync(join(folder, 'node'), node, { mode: 0o755 });
    const PATH = [folder, process.env['PATH']].join(delimiter);
    const { code, out, notes } = await start('bash', ['-e', '-c', script], { PATH, VAULT, WALLET });
    expect([code, notes.includes('error')]).toEqual([0, false]);
    const all = out + readFileSync(join(folder, 'result.json'), 'utf8');
    expect(all.match(/result: 'executed'/g)).toHaveLength(3);
    expect(await json(['status', WALLET])).toMatchObject({ positionCount: 0 });
  });
});
