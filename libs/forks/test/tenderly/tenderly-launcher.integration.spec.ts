import { ForkCapacityError, ForkNotRunningError, type ServiceError } from '@yield-vault/protocol';
import { localAddresses, localUsdcDeployedBytecode } from '@yield-vault/contracts/local';
import {
  startAnvil,
  startTenderlyEmulator,
  type Anvil,
  type TenderlyEmulator,
  type TenderlyFault,
} from '@yield-vault/testing';
import { canonical, suiteAddresses } from '@yield-vault/contracts';
import {
  encodeFunctionData,
  erc20Abi,
  hexToBigInt,
  numberToHex,
  parseEther,
  RpcRequestError,
  type Hex,
} from 'viem';
import type { ForkLauncher, LaunchedFork } from '../../src/ports.js';
import { createTenderlyLauncher } from '../../src/tenderly/create-tenderly-launcher.js';
import type { ForkChain } from '../../src/types.js';

const { usdc } = localAddresses[8453];
const wallet = '0x00000000000000000000000000000000000a11ce';
const other = '0x0000000000000000000000000000000000000b0b';

let upstream: Anvil;
let tenderly: TenderlyEmulator;
let launcher: ForkLauncher;
let chain: ForkChain;
const logged: unknown[] = [];
const keep = (...entry: unknown[]) => void logged.push(entry);
const logger = { info: keep, warn: keep, error: keep };
let count = 0;

const launcherOf = (options: { launchMs?: number; tag?: string; accessKey?: string } = {}) =>
  createTenderlyLauncher({ ...tenderly.project, livenessMs: 50, logger, ...options });
const launch = (from = launcher, kind: 'persistent' | 'ephemeral' = 'persistent') =>
  from.launch(chain, { id: `fork-${String((count += 1))}`, kind });
const failureOf = (call: Promise<unknown>): Promise<ServiceError> =>
  call.then(
    () => Promise.reject(new Error('it did not fail')),
    (error: ServiceError) => {
      keep(error);
      return error;
    },
  );
const blockOf = async (fork: LaunchedFork) => hexToBigInt((await fork.request('eth_blockNumber')) as Hex);
const ethOf = async (fork: LaunchedFork, address: string) =>
  hexToBigInt((await fork.request('eth_getBalance', [address, 'latest'])) as Hex);
const usdcOf = async (fork: LaunchedFork, address: `0x${string}`) => {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [address] });
  return hexToBigInt((await fork.request('eth_call', [{ to: usdc, data }, 'latest'])) as Hex);
};
const until = async (condition: () => boolean) => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10));
};

beforeAll(async () => {
  upstream = await startAnvil({ chainId: 8453 });
  const ask = (method: string, params: unknown[]) =>
    fetch(upstream.rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
  await ask('anvil_setCode', [usdc, localUsdcDeployedBytecode]);
  await ask('anvil_mine', ['0x10']);
  chain = {
    key: 'base',
    chainId: 8453,
    upstreamUrls: [upstream.rpcUrl],
    opStack: false,
    entryPoint: canonical.entryPointV08,
    contracts: suiteAddresses(),
    paymaster: 'own',
    usdc: { address: usdc },
    bundlerAccounts: [],
  };
});
beforeEach(async () => {
  tenderly = await startTenderlyEmulator({
    networks: { 8453: { rpcUrl: upstream.rpcUrl } },
    maxVnets: 12,
    slowMs: 600,
  });
  launcher = launcherOf();
});
afterEach(async () => {
  await launcher.close();
  await tenderly.stop();
});
afterAll(() => upstream.stop());

describe('createTenderlyLauncher', () => {
  it('default: a fork at the newest block, with the chain id of its chain', async () => {
    const fork = await launch();
    expect(fork.forkBlock).toBe(16n);
    expect(await fork.request('eth_chainId')).toBe('0x2105');
    expect(tenderly.vnets().map(({ slug }) => slug)).toEqual([
      `yield-vault-default-persistent-base-fork-${String(count)}`,
    ]);
  });

  it('behavior: at a block that is asked for', async () => {
    const fork = await launcher.launch(chain, { id: 'older', kind: 'ephemeral', block: 7n });
    expect(fork.forkBlock).toBe(7n);
    expect(await blockOf(fork)).toBe(7n);
  });

  it('behavior: wallets get the public address, which cheats nobody', async () => {
    const fork = await launch();
    const ask = async (method: string) => {
      const response = await fetch(fork.rpcUrl, {
        method: 'POST',
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method,
          params: method === 'eth_chainId' ? [] : [[wallet], '0x1'],
        }),
      });
      return ((await response.json()) as { error?: { code: number } }).error?.code;
    };
    expect(await ask('eth_chainId')).toBeUndefined();
    expect(await ask('tenderly_addBalance')).toBe(-32601);
  });

  it('behavior: adds ETH, sets USDC, storage and code', async () => {
    const fork = await launch();
    await Promise.all(Array.from({ length: 8 }, () => fork.addEth(wallet, parseEther('0.5'))));
    expect(await ethOf(fork, wallet)).toBe(parseEther('4'));
    await fork.setTokenBalance(usdc, wallet, 50_000_000n);
    expect(await usdcOf(fork, wallet)).toBe(50_000_000n);
    await fork.setTokenBalance(usdc, wallet, 0n);
    expect(await usdcOf(fork, wallet)).toBe(0n);
    const [slot, value] = [numberToHex(5, { size: 32 }), numberToHex(7, { size: 32 })];
    await fork.setStorageAt(other, slot, value);
    expect(await fork.request('eth_getStorageAt', [other, slot, 'latest'])).toBe(value);
    await fork.setCode(other, '0x6001');
    expect(await fork.request('eth_getCode', [other, 'latest'])).toBe('0x6001');
  });

  it('behavior: sends in the name of somebody who owns nothing', async () => {
    const fork = await launch();
    await fork.setTokenBalance(usdc, wallet, 10n);
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [other, 4n] });
    const sent = await fork.sendAs({ from: wallet, to: usdc, data });
    expect(sent).toMatchObject({ success: true, returnData: numberToHex(1, { size: 32 }) });
    expect(sent.logs).toHaveLength(1);
    expect(sent.gasUsed).toBeGreaterThan(21_000n);
    expect(await usdcOf(fork, other)).toBe(4n);

    const again = await fork.sendAs({ from: wallet, to: usdc, data: data.replace(/4$/, 'f') as Hex });
    expect(again.success).toBe(false);
    expect(again.returnData.slice(0, 10)).toBe('0x08c379a0');
  });

  it('behavior: mines, moves the clock, and goes back to a snapshot', async () => {
    const fork = await launch();
    const snapshot = await fork.snapshot();
    await fork.mine(0);
    expect(await blockOf(fork)).toBe(16n);
    await fork.mine(5);
    expect(await blockOf(fork)).toBe(21n);
    const timeOf = async () =>
      hexToBigInt(
        ((await fork.request('eth_getBlockByNumber', ['latest', false])) as { timestamp: Hex }).timestamp,
      );
    const before = await timeOf();
    await fork.increaseTime(3_600);
    expect(await timeOf()).toBeGreaterThanOrEqual(before + 3_600n);
    expect(await fork.revert(snapshot)).toBe(true);
    expect(await blockOf(fork)).toBe(16n);
    expect(await fork.revert(snapshot)).toBe(false);
    expect(await fork.revert('0x99')).toBe(false);
  });

  it('behavior: waits until a fork that is being made runs', async () => {
    tenderly.setStarting(2);
    const fork = await launch();
    expect(await blockOf(fork)).toBe(16n);
    expect(tenderly.log.filter((line) => line.startsWith('GET /vnets/'))).toHaveLength(2);
  });

  it('behavior: destroying deletes, and a fork that is gone is no error', async () => {
    const fork = await launch();
    await fork.destroy();
    expect(tenderly.vnets()).toEqual([]);
    await fork.destroy();
    expect(await failureOf(fork.request('eth_chainId'))).toBeInstanceOf(ForkNotRunningError);
  });

  it('error: a JSON-RPC error is passed on, without the address', async () => {
    const fork = await launch();
    const error = await failureOf(fork.request('anvil_mine'));
    expect(error).toBeInstanceOf(RpcRequestError);
    expect(error).toMatchObject({ code: -32601 });
    expect(error.message).not.toContain('http');
  });
});

describe('createTenderlyLauncher and evictions', () => {
  it('behavior: an evicted fork is noticed without being used', async () => {
    const fork = await launch();
    await tenderly.evict(tenderly.vnets()[0]?.id ?? '');
    expect(await fork.ended).toBe('was evicted');
    const asked = tenderly.log.length;
    expect(await failureOf(fork.snapshot())).toBeInstanceOf(ForkNotRunningError);
    expect(tenderly.log).toHaveLength(asked);
  });

  it('behavior: an evicted fork is noticed by the call that fails', async () => {
    const patient = createTenderlyLauncher({ ...tenderly.project, livenessMs: 3_600_000, logger });
    const fork = await launch(patient);
    await tenderly.evict(tenderly.vnets()[0]?.id ?? '');
    const error = await failureOf(fork.request('eth_blockNumber'));
    expect(error).toMatchObject({ code: 'FORK_NOT_RUNNING', retryable: true });
    expect(await fork.ended).toBe('was evicted');
    await patient.close();
  });

  it('behavior: one that is stopped is deleted', async () => {
    const fork = await launch();
    tenderly.setStatus(tenderly.vnets()[0]?.id ?? '', 'stopped');
    expect(await fork.ended).toBe('is not running');
    await until(() => tenderly.vnets().length === 0);
  });

  it('behavior: an outage of the API ends no fork', async () => {
    const fork = await launch();
    tenderly.setFault('read', 'http-500');
    const asked = tenderly.log.length;
    await until(() => tenderly.log.length > asked + 6);
    tenderly.setFault('read', undefined);
    expect(await blockOf(fork)).toBe(16n);
  });
});

describe('createTenderlyLauncher on faults', () => {
  const outages: TenderlyFault[] = ['http-500', 'garbage', 'cut', 'wrong-shape', 'rate-limit'];

  it.each(outages)('error: %s while a fork is made leaves none behind', async (fault) => {
    tenderly.setFault('create', fault);
    const error = await failureOf(launch());
    expect(error).toMatchObject({ code: 'FORK_NOT_RUNNING', retryable: true });
    tenderly.setFault('create', undefined);
    expect(await blockOf(await launch())).toBe(16n);
    expect(tenderly.vnets()).toHaveLength(1);
  });

  it('error: an answer that is lost leaves no fork behind', async () => {
    tenderly.setFault('create', 'lost');
    expect(await failureOf(launch())).toMatchObject({ code: 'FORK_NOT_RUNNING', retryable: true });
    await until(() => tenderly.log.some((line) => line.startsWith('DELETE')));
    await until(() => tenderly.vnets().length === 0);
  });

  it.each(outages)('error: %s of the RPC', async (fault) => {
    const fork = await launch();
    tenderly.setFault('rpc', fault);
    const error = await failureOf(fork.addEth(wallet, 1n));
    expect(error).toMatchObject({ code: 'FORK_NOT_RUNNING', retryable: true });
    expect(error).not.toBeInstanceOf(ForkCapacityError);
    tenderly.setFault('rpc', undefined);
    expect(await ethOf(fork, wallet)).toBe(0n);
  });

  it.each(['http-500', 'garbage', 'cut', 'rate-limit'] as const)(
    'behavior: a read is repeated after %s',
    async (fault) => {
      const fork = await launch();
      tenderly.setFault('rpc', fault, 2);
      expect(await blockOf(fork)).toBe(16n);
    },
  );

  it('behavior: a write is repeated only when it was refused', async () => {
    const fork = await launch();
    tenderly.setFault('rpc', 'rate-limit', 2);
    await fork.addEth(wallet, 1n);
    expect(await ethOf(fork, wallet)).toBe(1n);
    tenderly.setFault('rpc', 'cut', 1);
    const asked = tenderly.log.length;
    expect(await failureOf(fork.addEth(wallet, 1n))).toBeInstanceOf(ForkNotRunningError);
    expect(tenderly.log.slice(asked).filter((line) => line.startsWith('rpc'))).toHaveLength(1);
  });

  it('behavior: passes on how long a rate limit lasts', async () => {
    tenderly.setFault('create', 'rate-limit');
    expect(await failureOf(launch())).toMatchObject({ retryAfterSeconds: 7 });
  });

  it('error: the quota of the plan, when a fork is made and when it is used', async () => {
    const fork = await launch();
    for (const part of ['create', 'rpc'] as const) tenderly.setFault(part, 'quota');
    expect(await failureOf(launch())).toBeInstanceOf(ForkCapacityError);
    expect(await failureOf(fork.mine(1))).toMatchObject({ code: 'FORK_CAPACITY', retryable: true });
  });

  it('error: more forks than the plan allows', async () => {
    await Promise.all(Array.from({ length: 12 }, () => launch()));
    expect(await failureOf(launch())).toBeInstanceOf(ForkCapacityError);
    expect(tenderly.vnets()).toHaveLength(12);
  });

  it('error: an access key that is refused is not worth a retry', async () => {
    const stranger = launcherOf({ accessKey: 'wrong' });
    expect(await failureOf(launch(stranger))).toMatchObject({ code: 'FORK_NOT_RUNNING', retryable: false });
    expect(await stranger.probe()).toEqual({ isUp: false, version: '' });
    await stranger.close();
  });

  it.each(['Admin RPC', 'Public RPC'])('error: no %s among the addresses', async (name) => {
    tenderly.hideRpc(name);
    expect(await failureOf(launch())).toMatchObject({ code: 'FORK_NOT_RUNNING' });
    await until(() => tenderly.vnets().length === 0);
  });

  it('error: a fork that is made too slowly is deleted once it is there', async () => {
    const hasty = launcherOf({ launchMs: 100 });
    tenderly.setFault('create', 'slow', 1);
    expect(await failureOf(launch(hasty))).toMatchObject({ code: 'FORK_NOT_RUNNING', retryable: true });
    await until(() => tenderly.log.some((line) => line.startsWith('DELETE')));
    await until(() => tenderly.vnets().length === 0);
    await hasty.close();
  });

  it('error: a launch that is aborted leaves nothing behind', async () => {
    tenderly.setFault('create', 'slow', 1);
    const signal = AbortSignal.timeout(50);
    const error = await failureOf(launcher.launch(chain, { id: 'aborted', kind: 'ephemeral', signal }));
    expect(error).toBeInstanceOf(ForkNotRunningError);
    await until(() => tenderly.log.some((line) => line.startsWith('DELETE')));
    await until(() => tenderly.vnets().length === 0);
  });

  it('error: a fork that cannot be deleted says so', async () => {
    const fork = await launch();
    tenderly.setFault('delete', 'http-500');
    expect(await failureOf(fork.destroy())).toBeInstanceOf(ForkNotRunningError);
    tenderly.setFault('delete', undefined);
    await fork.destroy();
    expect(tenderly.vnets()).toEqual([]);
  });
});

describe('createTenderlyLauncher for a project that is shared', () => {
  it('default: probe', async () => {
    expect(await launcher.probe()).toEqual({ isUp: true, version: 'tenderly/v1' });
    tenderly.setFault('read', 'http-500');
    expect(await launcher.probe()).toEqual({ isUp: false, version: '' });
  });

  it('behavior: reap deletes what an earlier process left, and nothing of others', async () => {
    const [earlier, stranger] = [launcherOf(), launcherOf({ tag: 'other' })];
    const left = await launch(earlier, 'ephemeral');
    const foreign = await launch(stranger);
    const mine = await launch();
    await launcher.reap();
    expect(await left.ended).toBe('was evicted');
    expect(await blockOf(foreign)).toBe(16n);
    expect(await blockOf(mine)).toBe(16n);
    await earlier.close();
    await stranger.close();
  });

  it('behavior: reap keeps the newest persistent fork of a chain only', async () => {
    const earlier = launcherOf();
    await Promise.all(Array.from({ length: 10 }, () => launch(earlier)));
    const last = await launch(earlier);
    await launcher.reap();
    expect(tenderly.vnets()).toHaveLength(1);
    expect(await blockOf(last)).toBe(16n);
    await earlier.close();
  });

  it('behavior: goes on with the persistent fork of an earlier process', async () => {
    expect(await launcher.resume?.(chain)).toBeUndefined();
    const earlier = launcherOf();
    const before = Date.now();
    const first = await launch(earlier);
    await first.addEth(wallet, 5n);
    await first.detach?.();
    await earlier.close();

    await launcher.reap();
    const resumed = await launcher.resume?.(chain);
    expect(resumed).toMatchObject({ id: `fork-${String(count)}`, launched: { forkBlock: 16n } });
    expect(resumed?.createdAt).toBeGreaterThanOrEqual(before);
    expect(resumed && (await ethOf(resumed.launched, wallet))).toBe(5n);
    expect(await launcher.resume?.(chain)).toBeUndefined();
  });

  it('behavior: goes on with no fork of other kinds, chains or deployments', async () => {
    const [earlier, stranger] = [launcherOf(), launcherOf({ tag: 'other' })];
    await launch(earlier, 'ephemeral');
    await launch(stranger);
    const stopped = await launch(earlier);
    tenderly.setStatus(tenderly.vnets().at(-1)?.id ?? '', 'stopped');
    expect(await launcher.resume?.(chain)).toBeUndefined();
    await stopped.ended;
    const other = await earlier.launch({ ...chain, key: 'other' }, { id: 'other-1', kind: 'persistent' });
    await other.detach?.();
    expect(await launcher.resume?.(chain)).toBeUndefined();
    await earlier.close();
    await stranger.close();
  });

  it('behavior: close deletes every fork', async () => {
    const short = launcherOf();
    await Promise.all([launch(short), launch(short, 'ephemeral')]);
    await short.close();
    expect(tenderly.vnets()).toEqual([]);
  });

  it('behavior: nothing that was logged or thrown so far held a secret', () => {
    const { accessKey } = tenderly.project;
    expect(logged.length).toBeGreaterThan(0);
    expect(
      JSON.stringify(logged, (_, value: unknown) => (value instanceof Error ? describeError(value) : value)),
    ).not.toMatch(new RegExp(`${accessKey}|/rpc/`));
  });
});

function describeError(error: Error): unknown {
  return {
    text: String(error.stack),
    fields: { ...error },
    cause: error.cause instanceof Error ? describeError(error.cause) : String(error.cause),
  };
}
