import type { ActiveChain } from '@yield-vault/chains';
import { paymasterCharge, paymasterChargeV07 } from '@yield-vault/contracts';
import { UpstreamUnavailableError } from '@yield-vault/protocol';
import { HttpRequestError } from 'viem';
import { buildOrder } from '../../test/build-order.js';
import { ownPaymaster } from './own-paymaster.js';

const { chain } = buildOrder();
const use = { gas: 400_000n, feePerGas: 10n ** 9n, postOpGasLimit: 50_000n, callGasLimit: 100_000n };
const tokenPerNative = 3_000_000_000n;
const build = (
  multicall: () => Promise<unknown> = () => Promise.resolve([[tokenPerNative, 1_790_003_600], 50_000_000n]),
  overrides: Partial<ActiveChain> = {},
) => ownPaymaster({ ...chain, rpc: { multicall } as unknown as ActiveChain['rpc'], ...overrides });

describe('ownPaymaster', () => {
  it('default: the terms of the contract', async () => {
    const { charge, ...terms } = await build().terms();
    expect(terms).toEqual({
      validUntil: 1_790_003_600,
      operationCeiling: 50_000_000n,
      smallestPostOpGas: 40_000n,
    });
    expect(charge(use)).toBe(paymasterCharge({ tokenPerNative, ...use }));
  });

  it('behavior: EntryPoint v0.7 charges for what is unused', async () => {
    const { charge } = await build(undefined, { entryPointVersion: '0.7' }).terms();
    expect(charge(use)).toBe(paymasterChargeV07({ tokenPerNative, ...use }));
    expect(charge(use)).toBeGreaterThan(paymasterCharge({ tokenPerNative, ...use }));
  });

  it('behavior: nothing but the address is signed', async () => {
    const { paymaster } = chain.contracts;
    const own = build();
    const stub = await own.stub({} as never);
    expect(stub).toEqual({ fields: { paymaster, paymasterData: '0x' }, isFinal: true });
    expect(await own.seal({} as never, stub, 0n)).toEqual({
      paymasterData: '0x',
      validUntil: Infinity,
      validAfter: 0,
    });
  });

  it.each([
    ['reverts', new Error('execution reverted'), 'paymaster:base'],
    ['cannot be asked', new HttpRequestError({ url: 'http://127.0.0.1:1', status: 500 }), 'rpc:base'],
  ])('error: UpstreamUnavailableError when the contract %s', async (_, error, dependency) => {
    const attempt = build(() => Promise.reject(error)).terms();
    await expect(attempt).rejects.toThrow(UpstreamUnavailableError);
    await expect(attempt).rejects.toMatchObject({ details: { dependency } });
  });
});
