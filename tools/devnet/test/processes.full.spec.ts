import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { descendantProcesses, untilEnded } from '@yield-vault/testing';

jest.setTimeout(90_000);

// Needs Linux: elsewhere nothing ends the children of a killed process.
const main = join(__dirname, '../dist/main.js');
const freePorts = Object.fromEntries(
  ['ETHEREUM_RPC', 'ETHEREUM_BUNDLER', 'BASE_RPC', 'BASE_BUNDLER'].map((name) => [
    `DEVNET_${name}_PORT`,
    '0',
  ]),
);

let child: ChildProcess | undefined;
afterEach(() => {
  child?.kill('SIGKILL');
});

/** Start something and wait for words of its output; then say what it started, and what that started. */
async function start(
  args: readonly string[],
  ready: RegExp,
): Promise<{ pid: number; commands: ReadonlyMap<number, string> }> {
  if (!existsSync(main)) throw new Error('Build first: npx nx build devnet');
  const started = spawn(process.execPath, args, { env: { ...process.env, ...freePorts } });
  child = started;
  let output = '';
  await new Promise<void>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk.toString();
      if (ready.test(output)) resolve();
    };
    started.stdout.on('data', read);
    started.stderr.on('data', read);
    started.once('exit', () => reject(new Error(`ended early: ${output}`)));
  });
  const pid = started.pid ?? NaN;
  return { pid, commands: descendantProcesses(pid) };
}

describe('startDevnet', () => {
  it('behavior: chain, fork service, its fork and the bundler end with a killed parent', async () => {
    const script = `
      import { startDevnet } from '${main.replace('main.js', 'index.js')}';
      await startDevnet({ relayMode: 'managed-fork', chains: ['base'], historyDays: 1 });
      console.log('ready');`;
    const { pid, commands } = await start(['--input-type=module', '-e', script], /^ready$/m);
    const count = (part: string) => [...commands.values()].filter((command) => command.includes(part)).length;
    expect([count('bin/anvil'), count('fork-service'), count('alto')]).toEqual([2, 1, 1]);
    process.kill(pid, 'SIGKILL');
    expect(await untilEnded(commands.keys())).toEqual([]);
  });
});

describe('devnet up', () => {
  const homesOf = (pid: number): string[] =>
    readdirSync(tmpdir()).filter((name) => name.startsWith(`yield-vault-devnet-${String(pid)}-`));

  it('behavior: SIGINT ends chains and bundlers, with code 0 and nothing left on disk', async () => {
    const logs = join(tmpdir(), 'devnet-test-logs');
    const { pid, commands } = await start(
      [main, 'up', '--history-days', '1', '--log-directory', logs],
      /bundler http\S+\n.*bundler http\S+\n/,
    );
    expect([commands.size, homesOf(pid).length]).toEqual([4, 1]);
    const code = new Promise((resolve) => child?.once('exit', resolve));
    process.kill(pid, 'SIGINT');
    expect(await code).toBe(0);
    expect(await untilEnded(commands.keys())).toEqual([]);
    expect(homesOf(pid)).toEqual([]);
  });
});

describe('devnet fund', () => {
  it('error: a missing chain gives one sentence with the next action', () => {
    const wallet = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
    const args = [main, 'fund', '--chain', 'base', '--address', wallet, '--rpc-url', 'http://127.0.0.1:1'];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect(status).toBe(1);
    expect(stderr).toMatch(/^No chain responds at http:\/\/127\.0\.0\.1:1\. .*--rpc-url\.$/m);
    expect(stderr).not.toContain('viem');
  });
});
