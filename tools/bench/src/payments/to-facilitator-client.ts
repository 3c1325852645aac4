import type { FacilitatorClient } from '@x402/core/server';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import type { Facilitator, Payment, PaymentChain } from '@yield-vault/payments';
import type { Address, Hex } from 'viem';

const network = 'eip155:8453';

/** Give a facilitator of ours to the stock middleware, so that both ask the chain the same way. */
export function toFacilitatorClient(facilitator: Facilitator, chain: PaymentChain): FacilitatorClient {
  return {
    async verify(payload, requirements) {
      const reason = await facilitator.verify(toPayment(payload, requirements, chain));
      return reason === undefined ? { isValid: true } : { isValid: false, invalidReason: reason };
    },
    async settle(payload, requirements) {
      const outcome = await facilitator.settle(toPayment(payload, requirements, chain));
      return outcome.kind === 'settled'
        ? { success: true, transaction: outcome.transaction, network }
        : { success: false, errorReason: outcome.reason, transaction: '', network };
    },
    getSupported: () =>
      Promise.resolve({ kinds: [{ x402Version: 2, scheme: 'exact', network }], extensions: [], signers: {} }),
  };
}

function toPayment(
  { payload }: PaymentPayload,
  { payTo, amount, maxTimeoutSeconds }: PaymentRequirements,
  chain: PaymentChain,
): Payment {
  const { signature, authorization } = payload as {
    signature: Hex;
    authorization: Record<'from' | 'to' | 'nonce', Hex> &
      Record<'value' | 'validAfter' | 'validBefore', string>;
  };
  const { from, to, nonce, value, validAfter, validBefore } = authorization;
  return {
    version: 2,
    header: 'PAYMENT-SIGNATURE',
    terms: { chain, network, payTo: payTo as Address, amount: BigInt(amount), maxTimeoutSeconds },
    authorization: {
      ...{ from, to, nonce, value: BigInt(value) },
      ...{ validAfter: BigInt(validAfter), validBefore: BigInt(validBefore) },
    },
    signature,
  };
}
