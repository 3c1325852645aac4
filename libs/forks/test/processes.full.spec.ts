import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ProcessFailedError, spawnTied, startAnvil } from '../src/server/anvil/index.js';

jest.setTimeout(60_000);

// The started processes run the built library, because they load no TypeScript.
const library = join(__dirname, '../dist/server/anvil/index.js');
// No process has it: Linux counts to 2^22 at most.
const deadPid = 2 ** 22 + 1;

const isRunning = (pid: number): boolean => {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${String(pid)}/status`, 'utf8'));
  } catch {
    return false;
  }
};
const untilEnded = async (pid: number): Promise<void> => {
  while (isRunning(pid)) await new Promise((resolve) => setTimeout(resolve, 5));
};
const homesOf = (pid: number): string[] =>
  readdirSync(tmpdir()).filter((name) => name.startsWith(`yield-vault-anvil-${String(pid)}-`));

const parents: ChildProcess[] = [];
// Also when a test fails: jest waits for what still runs.
afterEach(() => {
  for (const parent of parents.splice(0)) parent.kill('SIGKILL');
});

/** Start a process that starts an Anvil and waits. */
async function startParent(
  env: NodeJS.ProcessEnv = process.env,
): Promise<{ parent: ChildProcess; anvil: number }> {
  const script = `import(${JSON.stringify(library)}).then(async ({ startAnvil }) => {
    console.log(String((await startAnvil()).pid));
    setInterval(() => undefined, 1_000);
  });`;
  const parent = spawn(process.execPath, ['-e', script], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  parents.push(parent);
  const [line] = (await once(parent.stdout, 'data')) as [Buffer];
  return { parent, anvil: Number(line.toString()) };
}

describe('startAnvil', () => {
  // Takes connections and answers nothing: an Anvil that forks it never gets ready.
  const silent = createServer();
  const forkOfNothing: string[] = [];
  beforeAll(async () => {
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const { port } = silent.address() as AddressInfo;
    forkOfNothing.push('--fork-url', `http://127.0.0.1:${String(port)}`, '--fork-block-number', '1');
  });
  afterAll(() => silent.close());

  it.each(['SIGKILL', 'SIGTERM', 'SIGINT'] as const)(
    'behavior: ends with a parent that gets %s',
    async (signal) => {
      const { parent, anvil } = await startParent();
      expect(isRunning(anvil)).toBe(true);
      parent.kill(signal);
      await untilEnded(anvil);
    },
  );

  it('behavior: a hundred of them leave no process, no open file and no folder behind', async () => {
    const cycle = async (): Promise<number> => {
      for (let round = 0; round < 10; round++) {
        const anvils = await Promise.all(Array.from({ length: 5 }, () => startAnvil({ args: ['-a', '0'] })));
        await Promise.all(anvils.map(({ kill }) => kill()));
        expect(anvils.some(({ pid }) => existsSync(`/proc/${String(pid)}`))).toBe(false);
      }
      return readdirSync('/proc/self/fd').length;
    };
    const first = await cycle();
    // One for each process would be fifty.
    expect((await cycle()) - first).toBeLessThan(10);
    expect(homesOf(process.pid)).toEqual([]);
  });

  it('error: a busy port is said in plain words', async () => {
    const { rpcUrl, kill } = await startAnvil();
    const port = Number(new URL(rpcUrl).port);
    const second = startAnvil({ port });
    await expect(second).rejects.toThrow(ProcessFailedError);
    await expect(second).rejects.toThrow(/Its port is in use: choose another one/);
    await kill();
  });

  it('error: one that does not get ready in time is ended', async () => {
    await expect(startAnvil({ args: forkOfNothing, readinessMs: 300 })).rejects.toThrow(
      'did not get ready in time',
    );
    expect(homesOf(process.pid)).toEqual([]);
  });

  it('error: an abort ends it while it gets ready', async () => {
    const started = startAnvil({ args: forkOfNothing, signal: AbortSignal.timeout(200) });
    await expect(started).rejects.toThrow(ProcessFailedError);
    await expect(startAnvil({ signal: AbortSignal.abort() })).rejects.toThrow();
    expect(homesOf(process.pid)).toEqual([]);
  });
});

describe('without the help of the kernel', () => {
  const bin = mkdtempSync(join(tmpdir(), 'busybox-'));
  afterAll(() => rmSync(bin, { recursive: true }));

  // As on Alpine: a setpriv that knows no --pdeathsig.
  writeFileSync(
    join(bin, 'setpriv'),
    '#!/bin/sh\n[ "$1" = --help ] && echo "Usage: setpriv" && exit 0\nexit 1\n',
    {
      mode: 0o755,
    },
  );
  const env = { ...process.env, PATH: `${bin}:${process.env['PATH'] ?? ''}` };

  it('behavior: the next start ends the processes of a killed parent', async () => {
    const { parent, anvil } = await startParent(env);
    const pid = parent.pid ?? NaN;
    parent.kill('SIGKILL');
    await once(parent, 'exit');
    expect([isRunning(anvil), homesOf(pid)]).toEqual([true, [expect.any(String)]]);
    const next = await startAnvil();
    await untilEnded(anvil);
    expect(homesOf(pid)).toEqual([]);
    await next.kill();
  });
});

describe('leftover folders', () => {
  const leave = (pid: number): string => {
    const home = mkdtempSync(join(tmpdir(), `yield-vault-anvil-${String(deadPid)}-`));
    writeFileSync(join(home, 'pid'), String(pid));
    return home;
  };

  it('behavior: a new process with the same id is left alone', async () => {
    const other = spawnTied('sleep', ['60'], { stdio: 'ignore' });
    const homes = [leave(other.child.pid ?? NaN), leave(1), leave(NaN), mkdtempSync(join(tmpdir(), 'mine-'))];
    mkdirSync(join(homes[0] ?? '', 'states'));
    await (await startAnvil()).kill();
    expect(isRunning(other.child.pid ?? NaN)).toBe(true);
    expect(homes.map((home) => existsSync(home))).toEqual([false, false, false, true]);
    rmSync(homes[3] ?? '', { recursive: true });
    await other.kill();
  });
});
