import { paymasterPostOpGas } from '@yield-vault/contracts';
import {
  formatAmount,
  fromWireUserOperation,
  intentSigning,
  userOperationHash,
  verifyIntentProof,
  UpstreamUnavailableError,
  type UserOperation,
} from '@yield-vault/protocol';
import { decodeIntentSignature } from '@yield-vault/smart-account';
import { buildRankedVault } from '@yield-vault/testing';
import { TypedDataEncoder } from 'ethers';
import { hashTypedData } from 'viem';
import { buildRequest, buildSnapshot, nowMs, options, paymaster } from '../test/build-request.js';
import { applyMargin } from './gas/budget.js';
import { buildExecution, attachPaymasterData } from './envelope.js';
import { estimateOperation, type EstimatedOperation, takeQuotes } from './operation.js';
import type { CheckedRequest } from './types.js';
import type { Paymaster, PaymasterApproval } from './paymasters/types.js';
import { expectUnavailable } from '../test/expect-error.js';

const request = buildRequest();
const now = nowMs / 1000;
const better = buildRankedVault({ apy: { now: 7, week: 7, month: 7 } });

const operation: UserOperation = {
  sender: request.wallet,
  nonce: 1n,
  callData: '0x12',
  callGasLimit: 1n,
  verificationGasLimit: 1n,
  preVerificationGas: 1n,
  maxFeePerGas: 1n,
  maxPriorityFeePerGas: 1n,
  paymaster: request.chain.contracts.paymaster,
  paymasterData: '0xaa',
  signature: '0x',
};

const estimated = {
  operation,
  stub: { fields: { paymaster: operation.paymaster!, paymasterData: '0xaa' }, isFinal: false },
  window: { expiry: now + 600, validAfter: 0 },
} as unknown as EstimatedOperation;

const attach = (response: Partial<PaymasterApproval>, seen: UserOperation[] = []) => {
  const paymasterWith: Paymaster = {
    ...paymaster,
    data: (userOp, _, budget) => {
      expect(budget).toBe(5n);
      seen.push(userOp);
      return Promise.resolve({ paymasterData: '0xbb', validUntil: Infinity, validAfter: 0, ...response });
    },
  };
  return attachPaymasterData(request, estimated, 5n, paymasterWith, options, nowMs);
};

/** Estimate and build an operation. */
async function build(parts: Partial<CheckedRequest> = {}, snapshot = buildSnapshot()) {
  const request = buildRequest(parts);
  const quotes = takeQuotes(request, snapshot);
  const estimated = await estimateOperation(request, snapshot, quotes, paymaster, options, nowMs);
  return { request, estimated, ...buildExecution(request, snapshot, estimated, options) };
}

describe('buildExecution', () => {
  it('default: everything follows from the operation', async () => {
    const { estimated, intentId, execution } = await build();
    const { intentEnvelope } = execution;
    const { expiry, validAfter, chainId, entryPoint, merkleRoot, signing, userOps, proofs } = intentEnvelope;
    const { validator } = request.chain.contracts;

    const operation = fromWireUserOperation(userOps[0]!.userOperation);
    expect(operation).toEqual(estimated.operation);
    const leaf = {
      userOpHash: userOperationHash(operation, entryPoint, chainId),
      expiry,
      validAfter,
      validator,
    };
    expect(verifyIntentProof(merkleRoot, leaf, proofs[0]!)).toBe(true);
    expect(signing).toEqual(intentSigning({ merkleRoot, chainId, expiry, validAfter, validator }));
    expect(intentEnvelope).toMatchObject({
      version: '1',
      intentId: merkleRoot,
      sender: request.wallet,
      destinationExecutions: [],
      proofs: [[]],
      expiry: nowMs / 1000 + 600,
      validAfter: 0,
    });
    expect(userOps[0]!.userOperation).toMatchObject({ initCode: '0x', signature: '0x', nonce: '3' });
    expect(intentId).toBe(merkleRoot);
    expect(execution).toMatchObject({
      to: entryPoint,
      calldata: operation.callData,
      estimatedGas: `${111_800n + 60_000n + 115_000n + 40_000n + operation.preVerificationGas}`,
      slippage: { maxSlippageBps: 50, minOut: '23879975616069671422', quotedOut: '24000000000000000000' },
    });
  });

  it('behavior: viem and ethers hash the signing block alike', async () => {
    const { domain, types, message } = (await build()).execution.intentEnvelope.signing;
    const byEthers = TypedDataEncoder.hash(domain, { Intent: [...types.Intent] }, message);
    expect(hashTypedData({ domain, types, primaryType: 'Intent', message } as never)).toBe(byEthers);
  });

  it('behavior: the expected cost is below the most it can be', async () => {
    const { estimatedGas, gasQuote, costs, summary } = (await build()).execution;
    expect(gasQuote.token).toBe(request.chain.usdc);
    // 1.25 gwei and 3000 USDC for one ether, which may rise by 2 %.
    const gas = BigInt(estimatedGas) + paymasterPostOpGas;
    const most = applyMargin(applyMargin(gas, 375n), 102n);
    expect(gasQuote.maxAmount).toBe(`${most}`);
    expect(BigInt(gasQuote.expectedAmount)).toBeLessThan(BigInt(gasQuote.maxAmount));
    expect(costs.gasUsd).toBe(Number(gasQuote.expectedAmount) / 1e6);
    expect(summary).toContain(`at most ${formatAmount(most, 6)}.`);
  });

  it.each<[string, Partial<CheckedRequest>, boolean, boolean]>([
    ['a deposit', {}, true, true],
    ['a rebalance', { operation: 'rebalance', target: better }, true, true],
    ['a partial redeem', { operation: 'redeem', amount: { shares: 1n } }, true, false],
    ['a redeem of all shares', { operation: 'redeem', amount: { shares: 10n ** 19n } }, false, false],
    ['a redeem of 100 %', { operation: 'redeem', amount: { percentage: 100 } }, false, false],
  ])('behavior: the costs of %s', async (_, parts, isLeft, isEarning) => {
    const { request, execution } = await build(parts, buildSnapshot({ redeemed: { value: 10_000_000n } }));
    const { costs, warnings } = execution;
    expect(warnings).toEqual([]);
    expect([costs.exitGasUsd > 0, costs.breakEvenDays !== null]).toEqual([isLeft, isEarning]);
    if (!isEarning) return;
    const isDeposit = request.operation === 'deposit';
    const [assets, growth] = isDeposit ? [25, 1.05] : [10, 1.07 / 1.05];
    const grown = assets * growth ** (costs.breakEvenDays! / 365);
    // Both vaults of the rebalance cost as much to leave.
    expect(grown - assets).toBeCloseTo(costs.gasUsd + (isDeposit ? costs.exitGasUsd : 0), 9);
  });
});

describe('attachPaymasterData', () => {
  it('default: only the data of the paymaster changes', async () => {
    const attached = await attach({});
    expect(attached).toEqual({ ...estimated, operation: { ...operation, paymasterData: '0xbb' } });
  });

  it('behavior: the window satisfies both', async () => {
    expect((await attach({ validUntil: now + 180, validAfter: now - 5 })).window).toEqual({
      expiry: now + 180,
      validAfter: now - 5,
    });
    expect((await attach({ validUntil: now + 6_000 })).window).toEqual(estimated.window);
  });

  it('behavior: the paymaster sees a signature that can be read', async () => {
    const seen: UserOperation[] = [];
    await attach({}, seen);
    expect(decodeIntentSignature(seen[0]!.signature).expiry).toBe(estimated.window.expiry);
  });

  it('error: UpstreamUnavailableError when it leaves no time to sign', async () => {
    await expectUnavailable(attach({ validUntil: now + 29 }));
  });

  it('error: UpstreamUnavailableError when it takes the operation only after the expiry', async () => {
    await expect(attach({ validAfter: now + 600 })).rejects.toThrow(UpstreamUnavailableError);
    expect((await attach({ validAfter: now + 599 })).window.validAfter).toBe(now + 599);
  });
});
