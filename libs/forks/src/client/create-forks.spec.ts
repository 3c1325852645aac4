import {
  ChainNotActiveError,
  ForkNotRunningError,
  InvalidParametersError,
  NotFoundError,
  TestingCapExceededError,
  WalletNotAllowedError,
} from '@yield-vault/protocol';
import { testAccount } from '@yield-vault/testing';
import { buildForkChain } from '../../test/support/build-fork-chain.js';
import { createForks, type ForksDependencies } from './create-forks.js';
import type { ActiveFork, Fork, ForkProvider, ForkRecord, Funding } from '../types.js';

const base = buildForkChain();
const ethereum = buildForkChain({ key: 'ethereum', chainId: 1, opStack: false });
const wallet = testAccount('owner').address;
const createdAt = Date.UTC(2026, 0, 2);
const limits = {
  maxEthWeiPerCall: 20_000_000_000_000_000n,
  maxUsdcBaseUnitsPerCall: 50_000_000n,
  allowlist: null,
};
const record: ForkRecord = {
  id: 'fork-1',
  kind: 'persistent',
  chain: 'base',
  chainId: 8453,
  status: 'running',
  forkBlock: 100n,
  createdAt,
};
const caught = (promise: Promise<unknown>) => promise.catch((error: unknown) => error);
const never = () => new Promise<never>(() => undefined);
const down = () => Promise.reject(new ForkNotRunningError({ detail: 'It does not respond.' }));

/** A provider with one fork in memory that counts its calls. */
function fakeProvider(overrides: Partial<ForkProvider> = {}, responses: Partial<Fork> = {}) {
  const asked: string[] = [];
  const funded: Funding[] = [];
  const fork = {
    ...record,
    fund(funding: Funding) {
      funded.push(funding);
      return Promise.resolve({ ethWei: 7n, usdcBaseUnits: 9n });
    },
    request: () => Promise.resolve('0x7b'),
    ...responses,
  } as unknown as Fork;
  const provider: ForkProvider = {
    persistent(chain) {
      asked.push(chain);
      return Promise.resolve(fork);
    },
    create: () => Promise.reject(new Error('nothing here creates forks')),
    find: () => Promise.resolve(fork),
    list: () => Promise.resolve([record]),
    destroy: () => Promise.resolve(),
    health: () => Promise.resolve({ status: 'healthy', activeForks: 1, maxForks: 8, version: 'anvil/v1' }),
    close: () => Promise.resolve(),
    ...overrides,
  };
  return { provider, asked, funded };
}

const fakeSimulator = (running: readonly ActiveFork[] = []) => ({
  list: () => running,
  close: () => Promise.resolve(),
});

function start(overrides: Partial<ForksDependencies> = {}) {
  return createForks({
    provider: fakeProvider().provider,
    simulator: fakeSimulator(),
    chains: [ethereum, base],
    environment: 'staging',
    preflightMode: 'enforce',
    testing: limits,
    rpcUrlOf: () => undefined,
    ...overrides,
  });
}

describe('fundWallet', () => {
  it('default: mints the requested amounts, and returns the balances on the fork', async () => {
    const { provider, asked, funded } = fakeProvider();
    const response = await start({ provider }).fundWallet({
      chain: 'base',
      walletAddress: wallet.toLowerCase() as typeof wallet,
      ethWei: '20000000000000000',
      usdcAmount: '50000000',
    });
    expect(response).toEqual({
      success: true,
      environment: 'staging',
      chain: 'base',
      chainId: 8453,
      walletAddress: wallet,
      forkId: 'fork-1',
      funded: {
        eth: { requestedAmountWei: '20000000000000000', resultingBalanceWei: '7' },
        usdc: {
          tokenAddress: base.usdc.address,
          requestedAmountBaseUnits: '50000000',
          resultingBalanceBaseUnits: '9',
        },
      },
      limits: { maxEthWeiPerCall: '20000000000000000', maxUsdcBaseUnitsPerCall: '50000000' },
      allowlistEnforced: false,
    });
    expect(asked).toEqual(['base']);
    expect(funded).toEqual([
      { address: wallet, ethWei: 20_000_000_000_000_000n, usdcBaseUnits: 50_000_000n },
    ]);
  });

  it.each([
    [{ usdcAmount: '1' }, { address: wallet, usdcBaseUnits: 1n }, ['0', '1']],
    [{ ethWei: '0' }, { address: wallet }, ['0', '0']],
  ])(
    'behavior: %j: an amount left out is 0, and its balance is returned all the same',
    async (amounts, given, requested) => {
      const { provider, funded } = fakeProvider();
      const { funded: reported } = await start({ provider }).fundWallet({
        chain: 'base',
        walletAddress: wallet,
        ...amounts,
      });
      expect(funded).toEqual([given]);
      expect([reported.eth.requestedAmountWei, reported.usdc.requestedAmountBaseUnits]).toEqual(requested);
      expect([reported.eth.resultingBalanceWei, reported.usdc.resultingBalanceBaseUnits]).toEqual(['7', '9']);
    },
  );

  it.each([
    ['ethWei', '20000000000000001'],
    ['usdcAmount', '9'.repeat(100_000)],
  ])('error: TestingCapExceededError for %s %s, with the caps', async (field, amount) => {
    const { provider, asked } = fakeProvider();
    const forks = start({ provider });
    const error = await caught(forks.fundWallet({ chain: 'base', walletAddress: wallet, [field]: amount }));
    expect(error).toBeInstanceOf(TestingCapExceededError);
    expect(error).toMatchObject({
      details: {
        field,
        limits: { maxEthWeiPerCall: '20000000000000000', maxUsdcBaseUnitsPerCall: '50000000' },
      },
    });
    expect((error as TestingCapExceededError).detail).not.toContain(amount);
    expect(asked).toEqual([]);
  });

  it('error: WalletNotAllowedError for a wallet that is not listed; a listed one is served, whatever its case', async () => {
    const forks = start({
      testing: { ...limits, allowlist: [wallet.toLowerCase() as typeof wallet] },
    });
    const other = testAccount('other').address;
    const fund = (walletAddress: typeof wallet) =>
      forks.fundWallet({ chain: 'base', walletAddress, ethWei: '1' });
    expect(await caught(fund(other))).toBeInstanceOf(WalletNotAllowedError);
    await expect(fund(wallet)).resolves.toMatchObject({ allowlistEnforced: true });
  });

  it.each([
    [{}, 'ethWei'],
    [{ ethWei: '-1' }, 'ethWei'],
    [{ usdcAmount: '' }, 'usdcAmount'],
    [{ usdcAmount: '1', walletAddress: '0x12' as const }, 'walletAddress'],
  ])('error: InvalidParametersError for %j', async (fields, field) => {
    const error = await caught(start().fundWallet({ chain: 'base', walletAddress: wallet, ...fields }));
    expect(error).toBeInstanceOf(InvalidParametersError);
    expect(error).toMatchObject({ details: { violations: [{ field }] } });
  });

  it('error: ChainNotActiveError with the chains that are', async () => {
    const error = await caught(start().fundWallet({ chain: 'optimism', walletAddress: wallet, ethWei: '1' }));
    expect(error).toBeInstanceOf(ChainNotActiveError);
    expect(error).toMatchObject({ details: { supportedChains: ['ethereum', 'base'] } });
  });

  it('error: NotFoundError without testing tools', async () => {
    const request = { chain: 'base', walletAddress: wallet, ethWei: '1' };
    expect(await caught(start({ testing: undefined }).fundWallet(request))).toBeInstanceOf(NotFoundError);
  });
});

describe('forkStatus', () => {
  const { forkBlock: _, ...common } = record;
  const simulation: ActiveFork = {
    ...{ ...common, id: 'simulation-1', kind: 'ephemeral', backend: 'node', createdAt: createdAt + 1000 },
  };

  it('default: every chain, every fork, and no secret', async () => {
    const { provider, asked } = fakeProvider();
    const forks = start({ provider, simulator: fakeSimulator([simulation]) });
    expect(await forks.forkStatus()).toEqual({
      success: true,
      environment: 'staging',
      preflightMode: 'enforce',
      limits: { maxEthWeiPerCall: '20000000000000000', maxUsdcBaseUnitsPerCall: '50000000' },
      supportedTokens: [
        { chain: 'ethereum', chainId: 1, tokens: { usdc: ethereum.usdc.address } },
        { chain: 'base', chainId: 8453, tokens: { usdc: base.usdc.address } },
      ],
      health: { status: 'healthy', activeForks: 2, maxForks: 8, version: 'anvil/v1' },
      primaryForks: [
        {
          chain: 'base',
          chainId: 8453,
          id: 'fork-1',
          status: 'running',
          rpcUrl: null,
          blockNumber: 123,
          createdAt: '2026-01-02T00:00:00.000Z',
        },
      ],
      activeForks: {
        ethereum: { chainId: 1, count: 0, forks: [] },
        base: {
          chainId: 8453,
          count: 2,
          forks: [
            {
              id: 'fork-1',
              status: 'running',
              kind: 'persistent',
              backend: 'anvil',
              createdAt: '2026-01-02T00:00:00.000Z',
            },
            {
              id: 'simulation-1',
              status: 'running',
              kind: 'ephemeral',
              backend: 'node',
              createdAt: '2026-01-02T00:00:01.000Z',
            },
          ],
        },
      },
    });
    expect(asked).toEqual([]);
  });

  it('behavior: shows the RPC address only where the deployment does', async () => {
    const { primaryForks } = await start({ rpcUrlOf: (chain) => `http://forks/${chain}` }).forkStatus();
    expect(primaryForks[0]?.rpcUrl).toBe('http://forks/base');
  });

  it('behavior: an ephemeral fork that the provider lists too counts once; a failed fork does not count', async () => {
    const { provider } = fakeProvider({
      list: () =>
        Promise.resolve([
          { ...record, status: 'failed' },
          { ...simulation, forkBlock: 1n },
        ]),
    });
    const status = await start({ provider, simulator: fakeSimulator([simulation]) }).forkStatus();
    expect(status.health.activeForks).toBe(1);
    expect(status.activeForks.base?.count).toBe(1);
    expect(status.primaryForks).toMatchObject([{ id: 'fork-1', status: 'failed' }]);
  });

  it.each([
    ['refuses', down],
    ['hangs', never],
  ])('behavior: a back end that %s is unavailable, and simulations still show', async (_, answer) => {
    const { provider } = fakeProvider({ list: answer, health: answer });
    const status = await start({ provider, simulator: fakeSimulator([simulation]) }).forkStatus();
    expect(status.health).toEqual({ status: 'unavailable', activeForks: 1, maxForks: null, version: '' });
    expect(status.primaryForks).toEqual([]);
    expect(status.activeForks.base?.count).toBe(1);
  });

  it('behavior: a fork that stopped is not active, and one that starts is', async () => {
    const stopped = { ...record, id: 'fork-2', status: 'stopped' } as const;
    const starting = { ...record, id: 'fork-4', status: 'starting' } as const;
    const { provider } = fakeProvider({ list: () => Promise.resolve([record, stopped, starting]) });
    const { activeForks } = await start({ provider }).forkStatus();
    expect(activeForks.base?.forks.map(({ id }) => id)).toEqual(['fork-1', 'fork-4']);
  });

  it('behavior: a fork that does not report its newest block shows its fork block', async () => {
    const { provider } = fakeProvider({}, { request: down });
    const { primaryForks } = await start({ provider }).forkStatus();
    expect(primaryForks).toMatchObject([{ blockNumber: 100 }]);
  });

  it('error: NotFoundError where the testing tools are off', async () => {
    expect(await caught(start({ testing: undefined }).forkStatus())).toBeInstanceOf(NotFoundError);
  });
});

describe('close', () => {
  it('behavior: close ends the simulations first, and the provider even when that fails', async () => {
    const closed: string[] = [];
    const { provider } = fakeProvider({
      close() {
        closed.push('provider');
        return Promise.resolve();
      },
    });
    const simulator = {
      ...fakeSimulator(),
      close() {
        closed.push('simulator');
        return Promise.reject(new Error('stuck'));
      },
    };
    await expect(start({ provider, simulator }).close()).rejects.toThrow('stuck');
    expect(closed).toEqual(['simulator', 'provider']);
  });
});
