import { startDevnet, type Devnet } from '@yield-vault/devnet';
import type { ForkProvider } from '@yield-vault/forks';
import { createForkClient } from '@yield-vault/forks/client';
import { createForkManager } from '@yield-vault/forks/server';
import { canonical, chainFacts, localContracts, localPaymasterOwner } from '@yield-vault/contracts';
import { childProcesses, untilEnded } from '@yield-vault/testing';
import { expectError } from '../support/expect-error.js';
import { credential, startService, type TestService } from '../support/start-service.js';

const wallet = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const maxForks = 6;

let devnet: Devnet;
let provider: ForkProvider;
let service: TestService;
beforeAll(async () => {
  devnet = await startDevnet({ chains: ['base'], bundlers: false, historyDays: 1 });
  provider = createForkManager({
    chains: [
      {
        key: 'base',
        chainId: 8453,
        upstreamUrls: [devnet.chains[0]!.rpcUrl],
        opStack: true,
        entryPoint: canonical.entryPointV08,
        contracts: { ...localContracts(8453), paymasterRoles: { owner: localPaymasterOwner } },
        paymaster: 'own',
        usdc: { address: chainFacts(8453).usdc.address, balanceSlot: 9 },
        bundlerAccounts: [],
      },
    ],
    options: { maxForks, idleSeconds: 900 },
    logger: silent,
  });
  // What payments need of persistent forks takes nothing from the others.
  service = await startService(provider, { takesPayments: true });
}, 60_000);
afterAll(async () => {
  await service.close();
  await devnet.stop();
});

const post = (path: string, body?: unknown) => service.call('POST', path, body);
const openFork = async (kind: 'persistent' | 'ephemeral') => {
  const { status, json } = await post('/v1/forks', { chain: 'base', kind });
  expect(status).toBe(200);
  return json as { id: string; forkBlock: string; rpcPath: string };
};
const destroyFork = (id: string) => service.call('DELETE', `/v1/forks/${id}`);
const plain = async (path: string, method: string, params: readonly unknown[] = []) => {
  const { json } = await post(path, { jsonrpc: '2.0', id: 1, method, params });
  return json['result'];
};
const operate = async (id: string, method: string, params: readonly unknown[] = []) => {
  const { json } = await post(`/v1/forks/${id}/rpc`, { jsonrpc: '2.0', id: 1, method, params });
  return json;
};
const blockOf = async (path: string) => {
  const block = (await plain(path, 'eth_getBlockByNumber', ['latest', false])) as Record<string, string>;
  return { number: Number(block['number']), timestamp: Number(block['timestamp']) };
};

describe('the persistent fork', () => {
  it('default: created on the first plain call, at an address of its chain', async () => {
    expect(await plain('/rpc/base', 'eth_chainId')).toBe('0x2105');
    const { json } = await service.call('GET', '/v1/forks');
    expect(json).toMatchObject({ forks: [{ kind: 'persistent', chain: 'base', status: 'running' }] });
  });

  it('behavior: 20 calls at the same time get the same one', async () => {
    const opened = await Promise.all(Array.from({ length: 20 }, () => openFork('persistent')));
    expect(new Set(opened.map(({ id }) => id)).size).toBe(1);
  });

  it('behavior: killed, it is made again at the next call', async () => {
    const { id } = await openFork('persistent');
    const [pid] = [...childProcesses(process.pid)].find(([, line]) => line.includes('--fork-url'))!;
    process.kill(pid, 'SIGKILL');
    expect(await untilEnded([pid])).toEqual([]);
    // A call that meets the death says so; the next ones get the new fork.
    const chainId = { jsonrpc: '2.0', id: 1, method: 'eth_chainId' };
    let response = await post('/rpc/base', chainId);
    const deadline = Date.now() + 10_000;
    while (response.status === 503 && Date.now() < deadline) {
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
      response = await post('/rpc/base', chainId);
    }
    expect(response.json).toMatchObject({ result: '0x2105' });
    expect((await openFork('persistent')).id).not.toBe(id);
  });

  describe('its clock, where payments are taken', () => {
    const mine = async (params: readonly unknown[]) => {
      const { id } = await openFork('persistent');
      expect(await operate(id, 'anvil_mine', params)).toMatchObject({ result: null });
    };

    it.each([
      ['anvil_mine', () => mine(['0x1f4'])],
      ['anvil_mine as viem writes it', () => mine(['0x1f4', '0x0'])],
    ])('behavior: 500 blocks by %s take no time', async (_name, mineBlocks) => {
      const before = await blockOf('/rpc/base');
      await mineBlocks();
      const after = await blockOf('/rpc/base');
      expect(after.number).toBeGreaterThanOrEqual(before.number + 500);
      expect(after.timestamp).toBeLessThanOrEqual(Date.now() / 1_000);
    });

    it('error: InvalidParametersError for moving it, and it stays', async () => {
      const { id } = await openFork('persistent');
      const apart = { jsonrpc: '2.0', id: 1, method: 'anvil_mine', params: ['0x2', '0xe10'] };
      expectError(await post(`/v1/forks/${id}/rpc`, apart), 400, 'INVALID_PARAMETERS');
      const travel = { jsonrpc: '2.0', id: 1, method: 'evm_increaseTime', params: [3_600] };
      expectError(await post(`/v1/forks/${id}/rpc`, travel), 400, 'INVALID_PARAMETERS');
      await mine(['0x1']);
      expect((await blockOf('/rpc/base')).timestamp).toBeLessThanOrEqual(Date.now() / 1_000);
    });
  });
});

describe('an ephemeral fork', () => {
  it('default: of its own, and gone once it is ended', async () => {
    const [one, two] = await Promise.all([openFork('ephemeral'), openFork('ephemeral')]);
    await post(`/v1/forks/${one.id}/fund`, { address: wallet, ethWei: '5' });
    const balances = await Promise.all(
      [one, two].map(({ rpcPath }) => plain(rpcPath, 'eth_getBalance', [wallet, 'latest'])),
    );
    expect(BigInt(balances[0] as string) - BigInt(balances[1] as string)).toBe(5n);
    await Promise.all([destroyFork(one.id), destroyFork(two.id)]);
    const gone = await post(one.rpcPath, { jsonrpc: '2.0', id: 1, method: 'eth_chainId' });
    expect(gone.status).toBe(404);
  });

  it('error: ForkCapacityError when there is no room', async () => {
    await openFork('persistent');
    const opened = await Promise.all(Array.from({ length: maxForks - 1 }, () => openFork('ephemeral')));
    expectError(await post('/v1/forks', { chain: 'base', kind: 'ephemeral' }), 503, 'FORK_CAPACITY');
    const { json } = await service.call('GET', '/health');
    expect(json).toMatchObject({ status: 'degraded', activeForks: maxForks, maxForks });
    await Promise.all(opened.map(({ id }) => destroyFork(id)));
    expect((await service.call('GET', '/health')).json).toMatchObject({ status: 'healthy', activeForks: 1 });
  });
});

it('default: the client of the library works with the service', async () => {
  const client = createForkClient({ provider: 'service', url: service.url, adminCredential: credential });
  const persistent = await client.persistent('base');
  const fork = await client.create('base');
  expect(fork).toMatchObject({ kind: 'ephemeral', chain: 'base', chainId: 8453, status: 'running' });
  expect((await client.list()).map(({ id }) => id).sort()).toEqual([fork.id, persistent.id].sort());
  expect(await client.find(fork.id)).toMatchObject({ id: fork.id, forkBlock: fork.forkBlock });
  expect(await client.health()).toMatchObject({ status: 'healthy', activeForks: 2, maxForks });
  await fork.mine(3);
  expect(BigInt((await fork.request('eth_blockNumber')) as string)).toBe(fork.forkBlock + 3n);
  expect(
    await fork.fund({ address: '0x0000000000000000000000000000000000a71ce0', usdcBaseUnits: 5n }),
  ).toEqual({ ethWei: 0n, usdcBaseUnits: 5n });
  await expect(fork.request('eth_noSuchMethod')).rejects.toMatchObject({ code: -32601 });
  await client.destroy(fork.id);
  await client.destroy(fork.id);
  expect(await client.find(fork.id)).toBeUndefined();
  await expect(fork.request('eth_blockNumber')).rejects.toMatchObject({ code: 'FORK_NOT_RUNNING' });
  await expect(client.create('solana')).rejects.toMatchObject({ code: 'FORKS_NOT_CONFIGURED' });
  await client.close();
});

it('behavior: answers show nothing of the machine', async () => {
  const { id } = await openFork('persistent');
  const responses = await Promise.all([
    service.call('GET', `/v1/forks/${id}`),
    service.call('GET', '/v1/forks'),
    service.call('GET', '/health'),
    service.call('GET', '/metrics'),
    post('/rpc/base', { jsonrpc: '2.0', id: 1, method: 'web3_clientVersion' }),
  ]);
  for (const { text } of responses) expect(text).not.toMatch(/127\.0\.0\.1|localhost/);
});
