import { UpstreamUnavailableError, type UserOperation } from '@yield-vault/protocol';
import { decodeIntentSignature } from '@yield-vault/smart-account';
import { buildOrder, nowMs, options, paymaster } from '../../test/build-order.js';
import type { Paymaster, PaymasterSeal } from '../paymasters/paymaster.js';
import type { EstimatedOperation } from './estimate-operation.js';
import { sealOperation } from './seal-operation.js';

const now = nowMs / 1000;
const order = buildOrder();
const operation: UserOperation = {
  sender: order.wallet,
  nonce: 1n,
  callData: '0x12',
  callGasLimit: 1n,
  verificationGasLimit: 1n,
  preVerificationGas: 1n,
  maxFeePerGas: 1n,
  maxPriorityFeePerGas: 1n,
  paymaster: order.chain.contracts.paymaster,
  paymasterData: '0xaa',
  signature: '0x',
};
const estimated = {
  operation,
  stub: { fields: { paymaster: operation.paymaster!, paymasterData: '0xaa' }, isFinal: false },
  window: { expiry: now + 600, validAfter: 0 },
} as unknown as EstimatedOperation;
const seal = (answer: Partial<PaymasterSeal>, seen: UserOperation[] = []) => {
  const sealing: Paymaster = {
    ...paymaster,
    seal: (userOp, _, budget) => {
      expect(budget).toBe(5n);
      seen.push(userOp);
      return Promise.resolve({ paymasterData: '0xbb', validUntil: Infinity, validAfter: 0, ...answer });
    },
  };
  return sealOperation(order, estimated, 5n, sealing, options, nowMs);
};

describe('sealOperation', () => {
  it('default: only the data of the paymaster changes', async () => {
    const sealed = await seal({});
    expect(sealed).toEqual({ ...estimated, operation: { ...operation, paymasterData: '0xbb' } });
  });

  it('behavior: the window is that of both', async () => {
    expect((await seal({ validUntil: now + 120, validAfter: now - 5 })).window).toEqual({
      expiry: now + 120,
      validAfter: now - 5,
    });
    expect((await seal({ validUntil: now + 6_000 })).window).toEqual(estimated.window);
  });

  it('behavior: the paymaster sees a signature that can be read', async () => {
    const seen: UserOperation[] = [];
    await seal({}, seen);
    expect(decodeIntentSignature(seen[0]!.signature).expiry).toBe(estimated.window.expiry);
  });

  it('error: UpstreamUnavailableError when it leaves no time to sign', async () => {
    const attempt = seal({ validUntil: now + 29 });
    await expect(attempt).rejects.toThrow(UpstreamUnavailableError);
    await expect(attempt).rejects.toMatchObject({ details: { dependency: 'paymaster:base' } });
  });

  it('error: UpstreamUnavailableError when it takes the operation only after the expiry', async () => {
    await expect(seal({ validAfter: now + 600 })).rejects.toThrow(UpstreamUnavailableError);
    expect((await seal({ validAfter: now + 599 })).window.validAfter).toBe(now + 599);
  });
});
