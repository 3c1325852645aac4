import { spawn, type ChildProcess } from 'node:child_process';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTemporaryPostgres, isPostgresReachable } from '@yield-vault/database/testing';
import { freePort } from '@yield-vault/forks/anvil';

jest.setTimeout(60_000);
const repository = resolve(__dirname, '../../../..');

const tests = () => {
  let child: ChildProcess;
  let postgres: Awaited<ReturnType<typeof createTemporaryPostgres>>;
  beforeAll(async () => {
    postgres = await createTemporaryPostgres();
  });
  afterAll(async () => {
    const ended = new Promise((done) => child.once('exit', done));
    child.kill('SIGKILL');
    await ended;
    await postgres.drop();
  });

  it('default: in production metrics have a port of their own, and the API has none', async () => {
    const [port, metricsPort] = [await freePort(), await freePort()];
    const dead = 'http://127.0.0.1:1';
    child = spawn(process.execPath, [resolve(repository, 'apps/api/dist/main.js')], {
      cwd: repository,
      stdio: 'ignore',
      env: {
        PATH: process.env['PATH'],
        YIELD_VAULT_CONFIG: 'config/production.yaml',
        PREFLIGHT_MODE: 'off',
        HOST: '127.0.0.1',
        PORT: String(port),
        METRICS_PORT: String(metricsPort),
        DATABASE_URL: postgres.url,
        BASE_RPC_URL: dead,
        BASE_BUNDLER_URL: dead,
        ETHEREUM_RPC_URL: dead,
        ETHEREUM_BUNDLER_URL: dead,
        BASE_LOGS_FROM_BLOCK: '1',
        ETHEREUM_LOGS_FROM_BLOCK: '1',
        PAYMASTER_OWNER: '0x1111111111111111111111111111111111111111',
      },
    });
    const metrics = () => fetch(`http://127.0.0.1:${metricsPort}/metrics`).catch(() => undefined);
    for (let attempts = 0; !(await metrics()); attempts++) {
      if (attempts > 500) throw new Error('The server does not start');
      await sleep(50);
    }
    expect(await (await metrics())!.text()).toContain('yield_vault_ready 0');
    expect((await fetch(`http://127.0.0.1:${port}/metrics`)).status).toBe(404);
    expect((await fetch(`http://127.0.0.1:${port}/health`)).status).toBe(200);
  });
};

describe(
  'main',
  isPostgresReachable()
    ? tests
    : () => it('needs PostgreSQL, which does not run here', () => expect(isPostgresReachable()).toBe(false)),
);
