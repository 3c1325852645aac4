import { encodeFunctionData, maxUint256, type Hex } from 'viem';
import { localMulticall3Abi, localPriceFeedAbi, localWethAbi } from '../src/local-chain/index.js';
import { canonical } from '@yield-vault/contracts';
import { devAccount, startProvisionedChain, type ProvisionedChain } from './local-chain-client.js';

const [holder, other] = [devAccount(1).address, devAccount(2).address];

describe('local WETH, price feed and Multicall3', () => {
  let chain: ProvisionedChain;
  beforeAll(async () => {
    chain = await startProvisionedChain(8453);
  });
  afterAll(async () => {
    await chain.stop();
  });

  async function send(from: `0x${string}`, to: `0x${string}`, data: Hex, value = 0n) {
    const hash = await chain.client.sendTransaction({ account: from, chain: null, to, data, value });
    const receipt = await chain.client.waitForTransactionReceipt({ hash });
    if (receipt.status !== 'success') throw new Error(`reverted: ${hash}`);
  }

  it('default: WETH wraps, moves and unwraps one for one', async () => {
    const weth = chain.addresses.weth;
    const call = (
      functionName: 'withdraw' | 'transferFrom' | 'approve' | 'transfer',
      args: readonly unknown[],
    ) => encodeFunctionData({ abi: localWethAbi, functionName, args } as never);
    const balance = (account: `0x${string}`) => chain.read(weth, localWethAbi, 'balanceOf', [account]);

    await send(holder, weth, '0x', 100n);
    await send(holder, weth, call('approve', [other, maxUint256]));
    await send(other, weth, call('transferFrom', [holder, other, 40n]));
    await send(other, weth, call('withdraw', [15n]));
    expect([await balance(holder), await balance(other)]).toEqual([60n, 25n]);
    const allowance = await chain.read(weth, localWethAbi, 'allowance', [holder, other]);
    expect(allowance).toBe(maxUint256);
    await expect(send(holder, weth, call('transfer', [other, 61n]))).rejects.toThrow();
    await expect(send(other, weth, call('withdraw', [26n]))).rejects.toThrow();
  });

  it('behavior: a feed stays fresh, or ages from a given time', async () => {
    const feed = chain.addresses.ethUsdFeed;
    const set = (functionName: 'setAnswer' | 'setRound', args: readonly bigint[]) =>
      send(holder, feed, encodeFunctionData({ abi: localPriceFeedAbi, functionName, args } as never));
    const latest = () => chain.read(feed, localPriceFeedAbi, 'latestRoundData');

    await chain.pass(10_000);
    expect((await latest())[3]).toBe((await chain.client.getBlock()).timestamp);
    await set('setRound', [2_000_00000000n, 1_700_000_000n]);
    expect((await latest()).slice(0, 4)).toEqual([2n, 2_000_00000000n, 1_700_000_000n, 1_700_000_000n]);
    await set('setAnswer', [3_000_00000000n]);
    expect((await latest())[1]).toBe(3_000_00000000n);
    const first = await chain.read(feed, localPriceFeedAbi, 'getRoundData', [1n]);
    expect(first[1]).toBe(3_200_00000000n);
    await expect(chain.read(feed, localPriceFeedAbi, 'getRoundData', [9n])).rejects.toThrow(
      'No data present',
    );
  });

  it('behavior: Multicall3 serves viem, and fails as a whole only where failure is not allowed', async () => {
    const read = { address: chain.addresses.weth, abi: localWethAbi } as const;
    const results = await chain.client.multicall({
      multicallAddress: canonical.multicall3,
      contracts: [
        { ...read, functionName: 'symbol' },
        {
          address: chain.addresses.ethUsdFeed,
          abi: localPriceFeedAbi,
          functionName: 'getRoundData',
          args: [99n],
        },
      ],
    });
    expect(results.map(({ status }) => status)).toEqual(['success', 'failure']);
    const failing = { target: chain.addresses.weth, callData: '0xffffffff' as const };
    const blockAndAggregate = (functionName: 'aggregate' | 'blockAndAggregate') =>
      chain.client.simulateContract({
        address: canonical.multicall3,
        abi: localMulticall3Abi,
        functionName,
        args: [[failing]],
      });
    await expect(blockAndAggregate('aggregate')).rejects.toThrow();
    await expect(blockAndAggregate('blockAndAggregate')).rejects.toThrow();
  });
});
