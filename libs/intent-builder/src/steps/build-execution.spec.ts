import {
  buildIntentTree,
  fromWireUserOperation,
  intentSigning,
  userOperationHash,
  verifyIntentProof,
} from '@yield-vault/protocol';
import { TypedDataEncoder } from 'ethers';
import { hashTypedData } from 'viem';
import { buildOrder, buildSnapshot, nowMs, options, paymaster } from '../../test/build-order.js';
import { buildExecution } from './build-execution.js';
import { estimateOperation } from './estimate-operation.js';
import { quotesOf } from './quotes-of.js';

const order = buildOrder();
const snapshot = buildSnapshot();
const quotes = quotesOf(order, snapshot);

describe('buildExecution', () => {
  it('default: everything follows from the operation', async () => {
    const estimated = await estimateOperation(order, snapshot, quotes, paymaster, options, nowMs);
    const { intentId, execution } = buildExecution(order, snapshot, estimated, options);
    const { intentEnvelope } = execution;
    const { expiry, validAfter, chainId, entryPoint, merkleRoot, signing, userOps, proofs } = intentEnvelope;
    const { validator } = order.chain.contracts;

    const operation = fromWireUserOperation(userOps[0]!.userOperation);
    expect(operation).toEqual(estimated.operation);
    const leaf = {
      userOpHash: userOperationHash(operation, entryPoint, chainId),
      expiry,
      validAfter,
      validator,
    };
    expect(buildIntentTree([leaf]).root).toBe(merkleRoot);
    expect(verifyIntentProof(merkleRoot, leaf, proofs[0]!)).toBe(true);
    expect(signing).toEqual(intentSigning({ merkleRoot, chainId, expiry, validAfter, validator }));
    expect(intentEnvelope).toMatchObject({
      version: '1',
      intentId: merkleRoot,
      sender: order.wallet,
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
      estimatedGas: (130_000 + 69_000 + 52_500 + 92_000 + 40_000).toString(),
      slippage: { maxSlippageBps: 50, minOut: '23879975616069671422', quotedOut: '24000000000000000000' },
    });
  });

  it('behavior: viem and ethers hash the signing block alike', async () => {
    const estimated = await estimateOperation(order, snapshot, quotes, paymaster, options, nowMs);
    const { domain, types, message } = buildExecution(order, snapshot, estimated, options).execution
      .intentEnvelope.signing;
    const byEthers = TypedDataEncoder.hash(domain, { Intent: [...types.Intent] }, message);
    expect(hashTypedData({ domain, types, primaryType: 'Intent', message } as never)).toBe(byEthers);
  });

  it('behavior: the expected cost is below the most it can be', async () => {
    const estimated = await estimateOperation(order, snapshot, quotes, paymaster, options, nowMs);
    const { gasQuote, summary } = buildExecution(order, snapshot, estimated, options).execution;
    expect(gasQuote.token).toBe(order.chain.usdc);
    // (383 500 + 25 000) gas at 1.25 gwei and 3000 USDC for one ether, which may rise by 2 %.
    expect(gasQuote.maxAmount).toBe('1562513');
    expect(BigInt(gasQuote.expectedAmount)).toBeLessThan(BigInt(gasQuote.maxAmount));
    expect(summary).toBe(
      'Deposits 25 USDC into Steady USDC on Base for at least 23.879975616069671422 shares. Gas is paid in USDC, at most 1.562513.',
    );
  });
});
