import type { ActiveChain } from '@yield-vault/chains';
import { paymasterCharge, paymasterRefreshGas } from '@yield-vault/contracts';
import { decodeGasGrant } from '@yield-vault/smart-account';
import { HttpRequestError, maxUint256, size } from 'viem';
import { buildRequest } from '../../test/build-request.js';
import { circleCharge, circlePaymaster, ownPaymaster } from './paymaster.js';
import { expectUnavailable } from '../../test/expect-error.js';

const { chain } = buildRequest();
const use = { gas: 400_000n, feePerGas: 10n ** 9n, postOpGasLimit: 50_000n };
const tokenPerNative = 3_000_000_000n;
const validUntil = 1_790_003_600;
const refreshAt = 1_790_001_800;

const build = (
  multicall: () => Promise<unknown> = () =>
    Promise.resolve([
      [tokenPerNative, validUntil],
      [0n, validUntil, refreshAt, 500, 10_000_000n],
    ]),
  now = refreshAt - 121,
) => ownPaymaster({ ...chain, rpc: { multicall } as unknown as ActiveChain['rpc'] }, () => now * 1000);

const rate = { tokenPerNative: 2_689_718_436n, additionalGasCharge: 35_000n, feeSpreadBps: 1_000n };

describe('ownPaymaster', () => {
  it('default: the terms of the contract', async () => {
    const { charge, ...terms } = await build().terms();
    expect(terms).toEqual({
      validUntil,
      operationCeiling: 10_000_000n,
      smallestPostOpGas: 40_000n,
      laterPostOpGas: 40_000n,
    });
    expect(charge(use)).toBe(paymasterCharge({ tokenPerNative, ...use }));
  });

  it('behavior: postOp gets enough gas to refresh the price once that is due', async () => {
    expect((await build(undefined, refreshAt).terms()).smallestPostOpGas).toBe(paymasterRefreshGas);
    expect(await build(undefined, refreshAt - 120).terms()).toMatchObject({
      smallestPostOpGas: 40_000n,
      laterPostOpGas: paymasterRefreshGas,
    });
    expect(paymasterRefreshGas).toBe(120_000n);
  });

  it('behavior: the wallet signs what the response quotes, in as many bytes as the estimate has', async () => {
    const own = build();
    const stub = await own.stub({} as never);
    expect(stub.fields.paymaster).toBe(chain.contracts.paymaster);
    const { paymasterData } = await own.data({} as never, stub, 1_234_567n);
    expect(decodeGasGrant(paymasterData)).toEqual({ token: chain.usdc, maximum: 1_234_567n });
    expect(size(stub.fields.paymasterData)).toBe(size(paymasterData));
  });

  it.each([
    ['reverts', new Error('execution reverted'), 'paymaster:base'],
    ['cannot be asked', new HttpRequestError({ url: 'http://127.0.0.1:1', status: 500 }), 'rpc:base'],
  ])('error: UpstreamUnavailableError when the contract %s', async (_, error, dependency) => {
    await expectUnavailable(build(() => Promise.reject(error)).terms(), dependency);
  });
});

describe('circlePaymaster', () => {
  const buildCircle = (multicall: () => Promise<unknown>) =>
    circlePaymaster({ ...chain, rpc: { multicall } as unknown as ActiveChain['rpc'] });

  it('default: the terms of the contract, without end or ceiling', async () => {
    const { charge, ...terms } = await buildCircle(() =>
      Promise.resolve([2_700_000_000n, 35_000, 1_000]),
    ).terms();
    expect(terms).toEqual({
      validUntil: Infinity,
      operationCeiling: maxUint256,
      smallestPostOpGas: 40_000n,
      laterPostOpGas: 40_000n,
    });
    const rate = { tokenPerNative: 2_700_000_000n, additionalGasCharge: 35_000n, feeSpreadBps: 1_000n };
    expect(charge(use)).toBe(circleCharge(rate, use));
  });

  it('behavior: postOp needs at least the gas that is charged for it', async () => {
    const { smallestPostOpGas } = await buildCircle(() => Promise.resolve([1n, 90_000, 0])).terms();
    expect(smallestPostOpGas).toBe(90_000n);
  });

  it('error: UpstreamUnavailableError without a price', async () => {
    await expectUnavailable(buildCircle(() => Promise.reject(new Error('execution reverted'))).terms());
  });
});

describe('circleCharge', () => {
  const use = { gas: 300_000n, feePerGas: 1_000_000_000n };

  it('default: price and surcharge over all gas, postOp included', () => {
    // 335 000 gas at 1 gwei are 901 055 base units, plus one, plus a tenth.
    expect(circleCharge(rate, use)).toBe(991_161n);
  });
});
