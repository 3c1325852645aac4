import type { AlternativesResponse, VaultQuote } from '@yield-vault/protocol';

// In basis points: 1 % is the highest exit fee of a listed vault.
const minReceivedBps = 9_900;

/**
 * Decide whether an amount stays in its vault. It moves for a higher net APY, if both vaults are known to be able to pay it
 * out now.
 */
export function decide(from: VaultQuote, quotes: readonly VaultQuote[]): AlternativesResponse {
  const candidates = quotes.toSorted((a, b) => (b.netApy ?? -Infinity) - (a.netApy ?? -Infinity));
  const best = candidates.find(takesAmount) ?? null;
  const respond = (
    decision: AlternativesResponse['decision'],
    ...reasons: string[]
  ): AlternativesResponse => ({
    decision,
    from,
    best,
    candidates,
    reason: reasons.join(' '),
  });
  if (from.netApy === null) return respond('HOLD', 'The price of the asset is unknown.');
  const staying = `Staying nets ${from.netApy} % a year over ${from.days} days.`;
  if (best?.netApy == null)
    return respond(
      'HOLD',
      staying,
      'No other listed vault takes the amount and is known to be able to pay it out now.',
    );
  const gasUsd = best.gas.inUsd + best.gas.outUsd;
  const moving = `Moving to vault ${best.vaultId} nets ${best.netApy} % after ${gasUsd.toFixed(2)} USD of gas.`;
  if (best.netApy <= from.netApy) return respond('HOLD', staying, moving);
  const { instantUsd, receivedBps } = from.exit;
  if (receivedBps === null)
    return respond('HOLD', staying, moving, 'But nobody knows what the vault can pay out now.');
  if (receivedBps < 10_000 - (from.fees.exitBps ?? 0))
    return respond('HOLD', staying, moving, `But the vault can pay out only ${instantUsd} USD now.`);
  return respond('MOVE', staying, moving);
}

const takesAmount = ({ netApy, exit, warnings }: VaultQuote) =>
  netApy !== null &&
  (exit.receivedBps ?? 0) >= minReceivedBps &&
  !warnings.some(({ code }) => code === 'DEPOSIT_FAILS');
