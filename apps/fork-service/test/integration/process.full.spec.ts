import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDevnet, type Devnet } from '@yield-vault/devnet';
import { descendantProcesses, startRpcProxy, untilEnded } from '@yield-vault/testing';
import { startProcess, type ServiceProcess } from '../support/start-process.js';
import { createCaller, credential, type ServiceCaller } from '../support/start-service.js';

const wallet = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

let devnet: Devnet;
let baseRpcUrl: string;
const started: ServiceProcess[] = [];
const folder = mkdtempSync(join(tmpdir(), 'fork-service-state-'));
beforeAll(async () => {
  devnet = await startDevnet({ chains: ['base'], bundlers: false, historyDays: 1 });
  baseRpcUrl = devnet.chains[0]!.rpcUrl;
}, 60_000);
afterAll(async () => {
  for (const each of started) each.kill('SIGKILL');
  await Promise.all(started.map(({ ended }) => ended));
  await devnet.stop();
  rmSync(folder, { recursive: true });
});

async function start(
  env: Readonly<Record<string, string>> = {},
): Promise<ServiceCaller & { readonly process: ServiceProcess }> {
  const process = startProcess({ BASE_RPC_URL: baseRpcUrl, ...env });
  started.push(process);
  const url = await process.listening;
  if (url === undefined) throw new Error(`It did not start: ${process.said()}`);
  return { ...(await createCaller(url)), process };
}

const forksOf = ({ pid }: ServiceProcess) => [...descendantProcesses(pid).keys()];
const openFork = async ({ call }: ServiceCaller, kind: 'persistent' | 'ephemeral') => {
  const { status, json } = await call('POST', '/v1/forks', { chain: 'base', kind });
  expect(status).toBe(200);
  return json as { id: string };
};

describe('start', () => {
  it('error: a credential that is too short is said in plain words', async () => {
    const refused = startProcess({ FORK_SERVICE_CREDENTIAL: 'short' });
    expect(await refused.ended).toBe(1);
    expect(refused.said()).toBe(
      'The environment cannot be used:\n  - FORK_SERVICE_CREDENTIAL must have at least 16 characters\n',
    );
  });

  it('error: a second one at the same port says so in one line', async () => {
    const first = await start();
    const second = startProcess({ FORK_SERVICE_PORT: new URL(first.url).port });
    expect(await second.ended).toBe(1);
    expect(second.said()).toBe(
      `Another program uses port ${new URL(first.url).port} on 127.0.0.1. ` +
        'Stop it, or set FORK_SERVICE_PORT to a free port.\n',
    );
    expect((await first.call('GET', '/health')).status).toBe(200);
    first.process.kill('SIGKILL');
  });

  it('behavior: it listens though no chain responds, and calls then fail in time', async () => {
    const proxy = await startRpcProxy(baseRpcUrl);
    proxy.setFault('silent');
    const { call, process } = await start({ BASE_RPC_URL: proxy.url });
    expect((await call('GET', '/health')).json).toMatchObject({ status: 'healthy', activeForks: 0 });
    const opening = call('POST', '/v1/forks', { chain: 'base', kind: 'persistent' });
    const plain = await call('POST', '/rpc/base', { jsonrpc: '2.0', id: 1, method: 'eth_chainId' });
    expect(plain.status).toBe(503);
    expect(Number(plain.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await opening).status).toBe(503);

    proxy.setFault(undefined);
    await openFork({ url: '', call }, 'persistent');
    process.kill('SIGKILL');
    await proxy.stop();
  });
});

describe('stop', () => {
  it('default: SIGTERM ends every fork; the next start has the state under the same id', async () => {
    const state = { FORK_SERVICE_STATE_DIRECTORY: join(folder, 'kept') };
    const first = await start(state);
    const { id } = await openFork(first, 'persistent');
    await openFork(first, 'ephemeral');
    const { json: funded } = await first.call('POST', `/v1/forks/${id}/fund`, {
      address: wallet,
      ethWei: '5',
      usdcBaseUnits: '50000000',
    });
    const forks = forksOf(first.process);
    expect(forks).toHaveLength(2);

    const stoppingAt = Date.now();
    first.process.kill('SIGTERM');
    expect(await first.process.ended).toBe(0);
    expect(Date.now() - stoppingAt).toBeLessThan(10_000);
    expect(await untilEnded(forks, 0)).toEqual([]);
    expect(first.process.said()).not.toContain(credential);

    const second = await start(state);
    expect((await openFork(second, 'persistent')).id).toBe(id);
    const nothing = await second.call('POST', `/v1/forks/${id}/fund`, { address: wallet, ethWei: '0' });
    expect(nothing.json).toEqual(funded);
    second.process.kill('SIGTERM');
    expect(await second.process.ended).toBe(0);
  });

  it('behavior: SIGTERM while an upstream stalls ends it all the same', async () => {
    const proxy = await startRpcProxy(baseRpcUrl);
    const { call, process } = await start({ BASE_RPC_URL: proxy.url });
    await openFork({ url: '', call }, 'ephemeral');
    proxy.setFault('silent');
    const cut = call('POST', '/v1/forks', { chain: 'base', kind: 'persistent' }).then(
      ({ status }) => status,
      () => 'cut off',
    );
    const waiting = proxy.requests;
    const deadline = Date.now() + 10_000;
    while (proxy.requests === waiting && Date.now() < deadline) await new Promise(setImmediate);
    const forks = forksOf(process);
    process.kill('SIGTERM');
    expect(await process.ended).toBe(0);
    expect([503, 'cut off']).toContain(await cut);
    expect(await untilEnded(forks, 0)).toEqual([]);
    await proxy.stop();
  });

  it('behavior: SIGKILL leaves no fork behind', async () => {
    const service = await start();
    await Promise.all([openFork(service, 'persistent'), openFork(service, 'ephemeral')]);
    const forks = forksOf(service.process);
    expect(forks).toHaveLength(2);
    service.process.kill('SIGKILL');
    expect(await service.process.ended).toBe('SIGKILL');
    expect(await untilEnded(forks, 1_000)).toEqual([]);
  });
});
