import pLimit from 'p-limit';
import { unconfirmed } from './errors.js';
import { locateTransfer, type TransferLocation } from './locate-transfer.js';
import type { LapsedPayment, PaymentLedger } from './ports.js';
import type { PaymentChain, PaymentOutcome } from './types.js';

// A node that failed for as many payments of a run counts as down.
const concurrency = 8;
// A payment may lapse long before the sweep, e.g. while the node was down: two days of Base.
const mostBlocks = 100_000n;
// Longer than any terms allow, because they may have changed since.
const maxTimeoutSeconds = 3_600;

/**
 * Resolve the lapsed payments of a chain, regularly and in one process: record a transfer, and free a payment that can never be
 * transferred. Payers can still use the others. A payment that stays open moves behind all others.
 *
 * @throws {UpstreamUnavailableError} when the ledger or a node does not respond or shows no event for a used
 *   authorization, after the other payments were swept
 */
export async function sweepPayments(
  chain: PaymentChain,
  ledger: PaymentLedger,
  report: (outcome: PaymentOutcome) => void,
  signal?: AbortSignal,
): Promise<void> {
  const lapsed = await ledger.lapsed(chain.chainId, chain.asset.address);
  const failures: unknown[] = [];
  let isUnclear = false;
  await pLimit(concurrency).map(lapsed, async (payment) => {
    if (failures.length >= concurrency || signal?.aborted) return;
    try {
      const kind = await resolvePayment(chain, payment, ledger, report);
      if (kind === 'unclear') isUnclear = true;
    } catch (error) {
      failures.push(error);
    }
  });
  if (isUnclear) failures.push(unconfirmed(chain));
  for (const failure of failures) throw failure;
}

async function resolvePayment(
  chain: PaymentChain,
  payment: LapsedPayment,
  ledger: PaymentLedger,
  report: (outcome: PaymentOutcome) => void,
): Promise<TransferLocation['kind']> {
  const { payer: from, nonce, amount: value, validBefore, payTo, owner } = payment;
  // It is the last one of the next run, whatever becomes of it.
  await ledger.release(payment, owner);
  const location = await locateTransfer(
    { authorization: { from, nonce, value, validBefore }, terms: { chain, payTo, maxTimeoutSeconds } },
    mostBlocks,
  );
  if (location.kind === 'paid') {
    if (await ledger.settle(payment, owner, location.transaction)) report('settled');
  } else if (location.kind === 'lost') {
    if (await ledger.delete(payment, owner, 'settling')) report('lost');
  }
  return location.kind;
}
