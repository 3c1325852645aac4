import { BundlerRejection } from '@yield-vault/chains';
import { UpstreamUnavailableError, type UserOperation } from '@yield-vault/protocol';
import { decodeAccountCall, decodeIntentSignature } from '@yield-vault/smart-account';
import {
  buildBundler,
  buildOrder,
  buildSnapshot,
  buildTerms,
  nowMs,
  options,
  paymaster,
} from '../../test/build-order.js';
import type { Snapshot } from '../types.js';
import { estimateOperation } from './estimate-operation.js';

const now = nowMs / 1000;
const estimate = (snapshot: Snapshot, overrides = {}) =>
  estimateOperation(
    buildOrder(),
    snapshot,
    { redeemed: 0n, deposited: 24n * 10n ** 18n },
    paymaster,
    { ...options, ...overrides },
    nowMs,
  );
const validUntil = (time: number) => buildSnapshot({ paymaster: buildTerms({ validUntil: time }) });

describe('estimateOperation', () => {
  it('default: the final operation differs from the estimated one only by limits and signature', async () => {
    const seen: UserOperation[] = [];
    const bare = buildBundler();
    const bundler = buildBundler({
      estimate: (userOp) => {
        seen.push(userOp);
        return bare.estimate(userOp);
      },
    });
    const { operation, plan, window } = await estimate(buildSnapshot({ bundler }));
    const [draft] = seen;
    const { executor } = buildOrder().chain.contracts;
    expect(draft!.callData).toBe(operation.callData);
    expect(decodeAccountCall(operation.callData, executor)).toEqual(plan.hooks);
    expect(plan).toMatchObject({ quotedOut: 24n * 10n ** 18n, minOut: 23_879_975_616_069_671_422n });
    expect(draft!.paymasterPostOpGasLimit).toBe(buildTerms().smallestPostOpGas);
    expect(decodeIntentSignature(draft!.signature).expiry).toBe(window.expiry);
    expect(operation).toMatchObject({
      nonce: 3n,
      signature: '0x',
      paymaster: buildOrder().chain.contracts.paymaster,
      paymasterData: '0x',
      maxFeePerGas: 1_250_000_000n,
      maxPriorityFeePerGas: 1_000_000n,
      callGasLimit: 130_000n,
      verificationGasLimit: 69_000n,
      preVerificationGas: 52_500n,
      paymasterVerificationGasLimit: 92_000n,
      paymasterPostOpGasLimit: 40_000n,
    });
  });

  it('behavior: the intent never outlives the price of the paymaster', async () => {
    expect((await estimate(validUntil(now + 3_600))).window).toEqual({ expiry: now + 600, validAfter: 0 });
    expect((await estimate(validUntil(now + 120))).window.expiry).toBe(now + 120);
  });

  it('behavior: validity may begin later', async () => {
    expect((await estimate(buildSnapshot(), { validAfterSeconds: 60 })).window.validAfter).toBe(now + 60);
  });

  it('error: UpstreamUnavailableError when the price is about to run out', async () => {
    const attempt = estimate(validUntil(now + 29));
    await expect(attempt).rejects.toThrow(UpstreamUnavailableError);
    await expect(attempt).rejects.toMatchObject({ details: { dependency: 'paymaster:base' } });
  });

  it('error: a refusal is explained, an outage passes through', async () => {
    const failing = (error: Error) =>
      buildSnapshot({ bundler: buildBundler({ estimate: () => Promise.reject(error) }) });
    const refusal = new BundlerRejection({ bundlerCode: -32500, message: 'AA25 invalid account nonce' });
    await expect(estimate(failing(refusal))).rejects.toMatchObject({ code: 'TRANSACTION_SUBMISSION_FAILED' });
    const outage = new UpstreamUnavailableError({ detail: 'x' });
    await expect(estimate(failing(outage))).rejects.toBe(outage);
  });
});
