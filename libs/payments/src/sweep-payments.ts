import { sameHex } from '@yield-vault/protocol';
import pLimit from 'p-limit';
import { unconfirmed } from './errors.js';
import { locateTransfer } from './locate-transfer.js';
import type { LapsedPayment, PaymentLedger } from './ports.js';
import type { PaymentChain, PaymentOutcome } from './types.js';

const concurrency = 8;
// A payment may lapse long before the sweep, e.g. while the node was down: two days of Base.
const mostBlocks = 100_000n;
// Longer than any terms allow, because they may have changed since.
const maxTimeoutSeconds = 3_600;

/**
 * Resolve lapsed payments from the chain: record a transfer, and free a payment that can never be transferred. Payers can
 * still use the others.
 *
 * @throws {UpstreamUnavailableError} when the ledger or a node does not respond, after the other chains were swept
 */
export async function sweepPayments(
  chains: readonly PaymentChain[],
  ledger: PaymentLedger,
  report: (outcome: PaymentOutcome) => void,
): Promise<void> {
  await ledger.purge();
  const limit = pLimit(concurrency);
  const failures = new Map<PaymentChain, unknown>();

  const resolve = async (payment: LapsedPayment): Promise<void> => {
    const { asset, payer: from, nonce, amount: value, validBefore, payTo, owner } = payment;
    const chain = chains.find(
      ({ chainId, asset: { address } }) => chainId === payment.chainId && sameHex(address, asset),
    );
    if (!chain || failures.has(chain)) return;
    try {
      const expected = {
        authorization: { from, nonce, value, validBefore },
        terms: { chain, payTo, maxTimeoutSeconds },
      };
      const location = await locateTransfer(expected, mostBlocks);
      if (location.kind === 'open') return;
      if (location.kind === 'unclear') throw unconfirmed(chain);
      if (location.kind === 'paid') {
        if (await ledger.settle(payment, owner, location.transaction)) report('settled');
      } else if (await ledger.forget(payment, owner, 'settling')) report('lost');
    } catch (error) {
      failures.set(chain, error);
    }
  };

  await Promise.all((await ledger.lapsed()).map((payment) => limit(() => resolve(payment))));
  for (const failure of failures.values()) throw failure;
}
