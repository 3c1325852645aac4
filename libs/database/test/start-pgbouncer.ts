import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@yield-vault/forks/anvil';

export const hasPgbouncer = (): boolean => spawnSync('pgbouncer', ['--version']).status === 0;

/** Start a real PgBouncer in front of a database. Its settings are the defaults, but for the mode and the pool size. */
export async function startPgbouncer(
  target: string,
  mode: 'session' | 'transaction' | 'statement',
  poolSize = 20,
): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const { hostname, port: targetPort, username, pathname } = new URL(target);
  const folder = mkdtempSync(join(tmpdir(), 'pgbouncer-'));
  // It runs as another user.
  chmodSync(folder, 0o755);
  const port = await freePort();
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(
    file,
    `[databases]
* = host=${hostname} port=${targetPort}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
auth_file =
pool_mode = ${mode}
default_pool_size = ${poolSize}
`.replace('* = host', `* = user=${username} host`),
  );
  const asRoot = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const child = spawn('pgbouncer', ['-q', ...asRoot, file], { stdio: 'ignore' });
  const url = new URL(target);
  url.port = String(port);
  url.pathname = pathname;
  for (let attempts = 0; !(await isListening(port)); attempts++) {
    if (attempts > 100 || child.exitCode !== null) throw new Error('PgBouncer does not start');
    await sleep(50);
  }
  return {
    url: url.href,
    stop: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const isListening = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const settle = (isUp: boolean) => {
      socket.destroy();
      resolve(isUp);
    };
    socket.on('connect', () => settle(true)).on('error', () => settle(false));
  });
