import type { AlternativesResponse, VaultQuote } from '@yield-vault/protocol';

/** Decide whether an amount stays in its vault. It moves for a higher net APY, if it can leave now. */
export function decide(from: VaultQuote, quotes: readonly VaultQuote[]): AlternativesResponse {
  const candidates = quotes.toSorted((a, b) => (b.netApy ?? -Infinity) - (a.netApy ?? -Infinity));
  const best = candidates.find(takesDeposit) ?? null;
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
  if (best?.netApy == null) return respond('HOLD', staying, 'No other listed vault takes the amount.');
  const gasUsd = best.gas.inUsd + best.gas.outUsd;
  const moving = `Moving to vault ${best.vaultId} nets ${best.netApy} % after ${gasUsd.toFixed(2)} USD of gas.`;
  if (best.netApy <= from.netApy) return respond('HOLD', staying, moving);
  const { instantUsd, receivedBps } = from.exit;
  if (receivedBps !== null && receivedBps < 10_000 - (from.fees.exitBps ?? 0))
    return respond('HOLD', staying, moving, `But the vault can pay out only ${instantUsd} USD now.`);
  return respond('MOVE', staying, moving);
}

const takesDeposit = ({ netApy, warnings }: VaultQuote) =>
  netApy !== null && !warnings.some(({ code }) => code === 'DEPOSIT_FAILS');
