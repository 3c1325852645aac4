import { startAnvil } from '@yield-vault/anvil';
import { anvilKey, testAccount } from '@yield-vault/testing';
import { numberToHex, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { ForkStrategy, SignedAuthorization } from '../../src/types.js';
import { buildEphemeralForks } from '../support/build-ephemeral-forks.js';
import { call, sender, word, words } from '../support/calls.js';
import { p256Vector } from '../support/p256-vector.js';
import { startUpstream, type Upstream } from '../support/start-upstream.js';
import { tiny } from '../support/tiny-contracts.js';

const account = testAccount('authority');
const upstreamAccount = privateKeyToAccount(anvilKey(0)).address;
const strategies: readonly ForkStrategy[] = ['overlay', 'process'];

let upstream: Upstream;
let forks: ReturnType<typeof buildEphemeralForks>;

beforeAll(async () => {
  upstream = await startUpstream();
  forks = buildEphemeralForks(upstream.rpcUrl);
});
afterAll(async () => {
  await forks?.close();
  await upstream?.kill();
});

describe('the state that a simulation sees', () => {
  it('behavior: block number and state belong together, however fast the chain moves', async () => {
    const advance = () =>
      upstream.operator.request({
        method: 'eth_sendTransactionSync' as never,
        params: [{ from: upstreamAccount, to: tiny.pair.address, data: '0x01', gas: '0x30d40' }] as never,
      });
    const look = async () => {
      const { block, calls } = await forks.withEphemeralFork('base', (fork) =>
        fork.simulate({ calls: [call('pair')], template: 'pair' }),
      );
      const [number = 0n, first, second] = words(calls[0]?.returnData);
      return {
        isNext: number === block.number + 1n,
        lag: [block.number - (first ?? 0n), block.number - (second ?? 0n)],
      };
    };
    // Each block writes its number into both slots.
    await advance();
    const seen: Awaited<ReturnType<typeof look>>[] = [];
    for (let round = 0; round < 8; round++) {
      const looking = Promise.all(Array.from({ length: 8 }, look));
      await advance();
      seen.push(...(await looking));
    }
    expect(seen).toHaveLength(64);
    for (const each of seen) expect(each).toEqual({ isNext: true, lag: [0n, 0n] });
  });

  it('behavior: a chain that was restarted at the same height is read anew', async () => {
    const start = async (value: bigint, port = 0) => {
      const chain = await startAnvil({ args: ['--chain-id', '8453', '--timestamp', '1800000000'], port });
      const set = { jsonrpc: '2.0', id: 1, method: 'anvil_setStorageAt' };
      const params = [tiny.counter.address, word(0n), word(value)];
      const code = { ...set, method: 'anvil_setCode', params: [tiny.counter.address, tiny.counter.code] };
      const mine = { ...set, method: 'anvil_mine', params: [numberToHex(3), numberToHex(value)] };
      await fetch(chain.rpcUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify([{ ...set, params }, code, mine]),
      });
      return chain;
    };
    const first = await start(11n);
    const restarted = buildEphemeralForks(first.rpcUrl);
    const read = async () => {
      const { block, calls } = await restarted.withEphemeralFork('base', (fork) =>
        fork.simulate({ calls: [call('counter', word(0n))] }),
      );
      return [block.number, words(calls[0]?.returnData)[0]];
    };
    try {
      expect(await read()).toEqual([3n, 11n]);
      await first.kill();
      const second = await start(22n, Number(new URL(first.rpcUrl).port));
      try {
        expect(await read()).toEqual([3n, 22n]);
      } finally {
        await second.kill();
      }
    } finally {
      await restarted.close();
      await first.kill();
    }
  });
});

describe.each(strategies)('strategy %s', (strategy) => {
  const simulate = (
    ...[request]: Parameters<Parameters<Parameters<typeof forks.withEphemeralFork>[1]>[0]['simulate']>
  ) => forks.withEphemeralFork('base', (fork) => fork.simulate(request), { strategy });

  it('behavior: P256VERIFY is there on 8453', async () => {
    const { calls } = await simulate({ calls: [call('p256', p256Vector)] });
    expect(calls[0]?.returnData).toBe(word(32n));
  });

  it.each([
    ['an authorization that applies', 1, 23n],
    ['an authorization that is skipped: the call succeeds, and only the code tells', 0, 0n],
  ])('behavior: %s', async (_, nonce, codeSize) => {
    const signed = await account.signAuthorization({ address: tiny.counter.address, chainId: 8453, nonce });
    const authorization: SignedAuthorization = {
      address: signed.address,
      chainId: signed.chainId,
      nonce: signed.nonce,
      r: signed.r,
      s: signed.s,
      yParity: signed.yParity ?? 0,
    };
    const { calls } = await simulate({
      calls: [
        { from: account.address, to: account.address, data: word(5n), authorizationList: [authorization] },
        call('codeSize', `0x${account.address.slice(2).toLowerCase().padStart(64, '0')}` as Hex),
      ],
    });
    expect(calls.map(({ status }) => status)).toEqual(['success', 'success']);
    expect(words(calls[1]?.returnData)[0]).toBe(codeSize);
  });

  it('behavior: overrides of balance, code, storage and nonce', async () => {
    const address = '0x00000000000000000000000000000000000d0001';
    const { calls } = await simulate({
      calls: [{ from: sender, to: address, data: word(1n) }, call('environment')],
      stateOverrides: {
        [address]: { code: tiny.counter.code, stateDiff: { '0x00': '0x29' }, nonce: 3, balance: 1n },
        [sender]: { balance: 77n },
      },
    });
    expect(words(calls[0]?.returnData)).toEqual([42n]);
    const balance = words(calls[1]?.returnData)[5];
    // In a process a call without fees pays all the same, from what its sender is given for it.
    if (strategy === 'overlay') expect(balance).toBe(77n);
    else expect(balance).toBeGreaterThan(77n);
  });
});
