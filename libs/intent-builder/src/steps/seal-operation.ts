import { stubIntentSignature } from '@yield-vault/smart-account';
import { paymasterUnavailable } from '../paymasters/paymaster-unavailable.js';
import type { Paymaster } from '../paymasters/paymaster.js';
import type { IntentBuilderOptions, Order } from '../types.js';
import type { EstimatedOperation } from './estimate-operation.js';
import { intentWindow } from './intent-window.js';

/**
 * Have the paymaster agree to an estimated operation. From here on nothing of it may change.
 *
 * @param budget - most that the wallet is told it costs, in base units of USDC
 * @param nowMs - milliseconds since 1970
 * @throws {UpstreamUnavailableError} when it does not agree, or not for long enough
 */
export async function sealOperation(
  order: Order,
  estimated: EstimatedOperation,
  budget: bigint,
  paymaster: Paymaster,
  options: IntentBuilderOptions,
  nowMs: number,
): Promise<EstimatedOperation> {
  const { operation, stub, window } = estimated;
  // A service may simulate what it signs, which takes a signature that can be read.
  const signature = stubIntentSignature(window.expiry, window.validAfter);
  const { paymasterData, validUntil, validAfter } = await paymaster.seal(
    { ...operation, signature },
    stub,
    budget,
  );
  const expiry = Math.min(intentWindow(order.chain, validUntil, options, nowMs).expiry, window.expiry);
  if (validAfter >= expiry)
    throw paymasterUnavailable(order.chain, 'The service signs for a time after the intent has expired.');
  return {
    ...estimated,
    operation: { ...operation, paymasterData },
    window: { expiry, validAfter: Math.max(validAfter, window.validAfter) },
  };
}
