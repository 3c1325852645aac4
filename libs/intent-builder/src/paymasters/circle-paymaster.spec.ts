import type { ActiveChain } from '@yield-vault/chains';
import { UpstreamUnavailableError } from '@yield-vault/protocol';
import { maxUint256 } from 'viem';
import { buildOrder } from '../../test/build-order.js';
import { circleCharge } from './circle-charge.js';
import { circlePaymaster } from './circle-paymaster.js';

const { chain } = buildOrder();
const use = { gas: 400_000n, feePerGas: 10n ** 9n, postOpGasLimit: 40_000n, callGasLimit: 100_000n };
const build = (multicall: () => Promise<unknown>) =>
  circlePaymaster({ ...chain, rpc: { multicall } as unknown as ActiveChain['rpc'] });

describe('circlePaymaster', () => {
  it('default: the terms of the contract, without end or ceiling', async () => {
    const { charge, ...terms } = await build(() => Promise.resolve([2_700_000_000n, 35_000, 1_000])).terms();
    expect(terms).toEqual({
      validUntil: Infinity,
      operationCeiling: maxUint256,
      smallestPostOpGas: 40_000n,
    });
    const rate = { tokenPerNative: 2_700_000_000n, additionalGasCharge: 35_000n, feeSpreadBps: 1_000n };
    expect(charge(use)).toBe(circleCharge(rate, use));
  });

  it('behavior: it takes no operation with less gas for postOp than it charges for', async () => {
    const { smallestPostOpGas } = await build(() => Promise.resolve([1n, 90_000, 0])).terms();
    expect(smallestPostOpGas).toBe(90_000n);
  });

  it('error: UpstreamUnavailableError without a price', async () => {
    const attempt = build(() => Promise.reject(new Error('execution reverted'))).terms();
    await expect(attempt).rejects.toThrow(UpstreamUnavailableError);
    await expect(attempt).rejects.toMatchObject({ details: { dependency: 'paymaster:base' } });
  });
});
