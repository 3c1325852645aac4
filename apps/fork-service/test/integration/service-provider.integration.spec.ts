import { canonical, localContracts } from '@yield-vault/contracts';
import type { Fork, ForkRecord } from '@yield-vault/forks';
import { provisionLocalChain } from '@yield-vault/testing/local';
import {
  ForkCapacityError,
  ForkNotRunningError,
  ForksNotConfiguredError,
  ServiceError,
} from '@yield-vault/protocol';
import { delegationCode } from '@yield-vault/smart-account';
import { startAnvil, type Anvil } from '@yield-vault/testing';
import {
  createClient,
  encodeFunctionData,
  erc20Abi,
  hexToBigInt,
  http,
  parseEther,
  RpcRequestError,
  type Hex,
} from 'viem';
import { depositThroughEntryPoint } from '../support/deposit-through-entry-point.js';
import {
  bundler,
  maxForks,
  startRestartableService,
  type RestartableService,
} from '../support/start-restartable-service.js';

const usdc = canonical.usdc[8453];
const [alice, bob] = [
  '0x0000000000000000000000000000000000a71ce0',
  '0x0000000000000000000000000000000000000b0b',
] as const;
// A chain with tokens and vaults, and nothing of ours.
let upstream: Anvil;

beforeAll(async () => {
  upstream = await startAnvil({ chainId: 8453 });
  const client = createClient({ transport: http(upstream.rpcUrl) });
  await provisionLocalChain({ request: (call) => client.request(call as never) }, 8453);
});
afterAll(() => upstream?.stop());

const failureOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => Promise.reject(new Error('it did not fail')),
    (error: unknown) => error,
  );
const number = async (fork: Fork, method: string, ...params: unknown[]) =>
  hexToBigInt((await fork.request(method, params)) as Hex);
const headOf = (fork: Fork) => number(fork, 'eth_blockNumber');
const ethOf = (fork: Fork, address: string) => number(fork, 'eth_getBalance', address, 'latest');
const timeOf = async (fork: Fork) => {
  const block = (await fork.request('eth_getBlockByNumber', ['latest', false])) as { timestamp: Hex };
  return hexToBigInt(block.timestamp);
};
const recordOf = ({ id, kind, chain, chainId, status, forkBlock, createdAt }: ForkRecord): ForkRecord => ({
  id,
  kind,
  chain,
  chainId,
  status,
  forkBlock,
  createdAt,
});
const transfer = (to: Hex, amount: bigint) =>
  encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, amount] });

describe('createServiceProvider with a fork service', () => {
  let backend: RestartableService;

  beforeAll(async () => {
    backend = await startRestartableService(upstream.rpcUrl);
  });
  afterAll(() => backend?.stop());
  afterEach(async () => {
    const created = (
      await backend
        .provider()
        .list()
        .catch(() => [])
    ).filter((fork) => fork.kind === 'ephemeral');
    await Promise.all(created.map(({ id }) => backend.provider().destroy(id)));
  });

  it('default: there is nothing before the first use', async () => {
    expect(await backend.provider().list()).toEqual([]);
    const { version, ...health } = await backend.provider().health();
    expect(version).toMatch(/^[a-z-]+\/v\d/);
    expect(health).toEqual({ status: 'healthy', activeForks: 0, maxForks });
  });

  it('default: one persistent fork, however many ask first', async () => {
    const before = Date.now();
    const forks = await Promise.all(Array.from({ length: 8 }, () => backend.provider().persistent('base')));
    const [fork] = forks as [Fork];
    expect(new Set(forks.map(({ id }) => id)).size).toBe(1);
    expect(recordOf(fork)).toEqual({
      id: expect.any(String) as string,
      kind: 'persistent',
      chain: 'base',
      chainId: 8453,
      status: 'running',
      forkBlock: expect.any(BigInt) as bigint,
      createdAt: expect.any(Number) as number,
    });
    expect(fork.createdAt).toBeGreaterThanOrEqual(before);
    expect(fork.createdAt).toBeLessThanOrEqual(Date.now());
    expect(fork.forkBlock).toBeGreaterThan(0n);
    expect(fork.forkBlock).toBeLessThanOrEqual(await headOf(fork));
    expect(await backend.provider().list()).toEqual([recordOf(fork)]);
    expect((await backend.provider().find(fork.id))?.id).toBe(fork.id);
    expect(await backend.provider().health()).toMatchObject({ status: 'healthy', activeForks: 1 });
  });

  it('default: a wallet can be set up and deposits at once', async () => {
    const fork = await backend.provider().persistent('base');
    const flow = await depositThroughEntryPoint(fork, bundler);
    expect(flow).toEqual({
      funded: { ethWei: parseEther('0.01'), usdcBaseUnits: 50_000_000n },
      code: delegationCode(localContracts.account),
      bundle: true,
      operations: [true],
      hasShares: true,
    });
  });

  it('default: a created fork is one of its own', async () => {
    const persistent = await backend.provider().persistent('base');
    const fork = await backend.provider().create('base');
    expect(fork).toMatchObject({ kind: 'ephemeral', chain: 'base', chainId: 8453, status: 'running' });
    expect(fork.id).not.toBe(persistent.id);
    expect((await backend.provider().list()).map(({ id }) => id).sort()).toEqual(
      [fork.id, persistent.id].sort(),
    );
    expect(await backend.provider().health()).toMatchObject({ activeForks: 2 });
    expect(await headOf(fork)).toBe(fork.forkBlock);
  });

  it('behavior: funding adds, and concurrent calls all count', async () => {
    const fork = await backend.provider().create('base');
    const funding = { address: alice, ethWei: 3n, usdcBaseUnits: 5n };
    const first = await fork.fund(funding);
    const results = await Promise.all(Array.from({ length: 6 }, () => fork.fund(funding)));
    const last = await fork.fund({ address: alice });
    expect(first).toEqual({ ethWei: 3n, usdcBaseUnits: 5n });
    expect(last).toEqual({ ethWei: 21n, usdcBaseUnits: 35n });
    for (const { ethWei, usdcBaseUnits } of results) {
      expect(ethWei).toBeLessThanOrEqual(21n);
      expect(usdcBaseUnits).toBeLessThanOrEqual(35n);
    }
  });

  it('behavior: mines blocks and moves the clock', async () => {
    const fork = await backend.provider().create('base');
    const [head, time] = [await headOf(fork), await timeOf(fork)];
    await fork.mine(0);
    expect(await headOf(fork)).toBe(head);
    await fork.mine(12);
    expect(await headOf(fork)).toBe(head + 12n);
    await fork.request('evm_increaseTime', [86_400]);
    await fork.request('evm_mine');
    expect(await headOf(fork)).toBe(head + 13n);
    expect(await timeOf(fork)).toBeGreaterThanOrEqual(time + 86_400n);
    expect(await timeOf(fork)).toBeLessThan(time + 86_400n + 60n);
  });

  it('behavior: reverts to a snapshot, once', async () => {
    const fork = await backend.provider().create('base');
    await fork.fund({ address: bob, ethWei: 5n });
    const [head, snapshot] = [await headOf(fork), await fork.request('evm_snapshot')];
    await fork.fund({ address: bob, ethWei: 6n, usdcBaseUnits: 7n });
    await fork.mine(3);
    expect(await fork.request('evm_revert', [snapshot])).toBe(true);
    expect(await headOf(fork)).toBe(head);
    expect(await fork.fund({ address: bob })).toEqual({ ethWei: 5n, usdcBaseUnits: 0n });
    expect(await fork.request('evm_revert', [snapshot])).toBe(false);
    expect(await fork.request('evm_revert', ['0x7f'])).toBe(false);
  });

  it('behavior: forks see nothing of each other', async () => {
    const persistent = await backend.provider().persistent('base');
    await persistent.fund({ address: bob, ethWei: 1_000n });
    const [one, other] = [await backend.provider().create('base'), await backend.provider().create('base')];
    await Promise.all([
      one.fund({ address: alice, ethWei: 1n, usdcBaseUnits: 10n }),
      other.fund({ address: alice, ethWei: 2n, usdcBaseUnits: 20n }),
      persistent.fund({ address: alice, ethWei: 4n, usdcBaseUnits: 40n }),
    ]);
    const forks = [one, other, persistent];
    const balances = await Promise.all(forks.map((fork) => fork.fund({ address: alice })));
    expect(balances.map(({ ethWei, usdcBaseUnits }) => [ethWei, usdcBaseUnits])).toEqual([
      [1n, 10n],
      [2n, 20n],
      [4n, 40n],
    ]);
    expect(await Promise.all(forks.map((fork) => ethOf(fork, bob)))).toEqual([0n, 0n, 1_000n]);
  });

  it('behavior: destroying is final and may be repeated', async () => {
    const fork = await backend.provider().create('base');
    await backend.provider().destroy(fork.id);
    await backend.provider().destroy(fork.id);
    await backend.provider().destroy('base-0123456789ab');
    expect(await backend.provider().find(fork.id)).toBeUndefined();
    expect(await backend.provider().find('base-0123456789ab')).toBeUndefined();
    const error = await failureOf(fork.request('eth_blockNumber'));
    expect(error).toBeInstanceOf(ForkNotRunningError);
    expect(error).toMatchObject({ retryable: true });
  });

  it('error: a refusal of the fork is passed on', async () => {
    const fork = await backend.provider().create('base');
    const calls = [
      fork.request('eth_noSuchMethod'),
      fork.request('eth_call', [{ from: alice, to: usdc, data: transfer(bob, 1n) }, 'latest']),
    ];
    const errors = (await Promise.all(calls.map(failureOf))) as RpcRequestError[];
    for (const error of errors) expect(error).toBeInstanceOf(RpcRequestError);
    expect(errors.map(({ code }) => code)).toEqual([-32601, 3]);
  });

  it('error: a chain without forks', async () => {
    expect(await failureOf(backend.provider().persistent('ethereum'))).toBeInstanceOf(
      ForksNotConfiguredError,
    );
    expect(await failureOf(backend.provider().create('ethereum'))).toBeInstanceOf(ForksNotConfiguredError);
  });

  it('error: more forks than there may be', async () => {
    await backend.provider().persistent('base');
    await Promise.all(Array.from({ length: maxForks - 1 }, () => backend.provider().create('base')));
    expect(await backend.provider().health()).toMatchObject({ status: 'degraded', activeForks: maxForks });
    const error = await failureOf(backend.provider().create('base'));
    expect(error).toBeInstanceOf(ForkCapacityError);
    expect(error).toMatchObject({ retryable: true });
    expect((error as ForkCapacityError).retryAfterSeconds).toBeGreaterThan(0);
    const [created] = (await backend.provider().list()).filter((fork) => fork.kind === 'ephemeral');
    await backend.provider().destroy(created?.id ?? '');
    expect((await backend.provider().create('base')).status).toBe('running');
  });

  it('behavior: operations of a wallet survive a restart, created forks do not', async () => {
    const before = await backend.provider().persistent('base');
    await before.fund({ address: bob, ethWei: 9n, usdcBaseUnits: 8n });
    const [balances, head] = [await before.fund({ address: bob }), await headOf(before)];
    const created = await backend.provider().create('base');
    await backend.restart();
    const after = await backend.provider().persistent('base');
    const { createdAt } = after;
    expect({ ...recordOf(after), createdAt: before.createdAt }).toEqual(recordOf(before));
    // Whose clock says it differs.
    expect(Math.abs(createdAt - before.createdAt)).toBeLessThan(5_000);
    expect(await after.fund({ address: bob })).toEqual(balances);
    expect(await headOf(after)).toBeGreaterThanOrEqual(head);
    expect(await backend.provider().find(created.id)).toBeUndefined();
    expect(await backend.provider().health()).toMatchObject({ activeForks: 1 });
  });

  it('behavior: a fork that died is replaced by another one, and said to be another', async () => {
    const old = await backend.provider().persistent('base');
    const { ethWei: had } = await old.fund({ address: bob, ethWei: 1n });
    const head = await headOf(old);
    await backend.killForks();
    const error = await failureOf(old.request('eth_blockNumber'));
    expect(error).toBeInstanceOf(ForkNotRunningError);
    expect(error).toMatchObject({ retryable: true });
    const fresh = await persistentAgain(old.id);
    expect(fresh.id).not.toBe(old.id);
    // Of what wallets did, as much is there as was saved outside of the fork.
    expect(await ethOf(fresh, bob)).toBeLessThanOrEqual(had);
    expect(await headOf(fresh)).toBeGreaterThanOrEqual(head);
    expect((await backend.provider().list()).map(({ id }) => id)).toEqual([fresh.id]);
    expect(await backend.provider().find(old.id)).toBeUndefined();
    expect(await backend.provider().health()).toMatchObject({ status: 'healthy', activeForks: 1 });
  });

  it('error: every call of a service that is down can be retried', async () => {
    const fork = await backend.provider().persistent('base');
    await backend.killForks();
    await backend.breakDown();
    const failures = await Promise.all(
      [
        fork.fund({ address: bob, ethWei: 1n }),
        fork.request('evm_snapshot'),
        backend.provider().create('base'),
      ].map(failureOf),
    );
    failures.push(await failureOf(persistentAgain(fork.id)));
    for (const failure of failures) {
      expect(failure).toBeInstanceOf(ServiceError);
      expect(failure).toMatchObject({ code: 'FORK_NOT_RUNNING', retryable: true });
      expect(String((failure as ServiceError).detail)).not.toMatch(/http:|127\.0\.0\.1|\/rpc\//);
    }
    expect((await backend.provider().health()).status).toBe('unavailable');
  });

  /** The supervisor notices the end of a fork a moment later. */
  async function persistentAgain(oldId: string): Promise<Fork> {
    const deadline = Date.now() + 10_000;
    for (;;) {
      const fork = await backend.provider().persistent('base');
      if (fork.id !== oldId || Date.now() > deadline) return fork;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
});
