import { decodeRevertReason } from '@yield-vault/contracts';
import type { CapabilityVerdict } from '@yield-vault/protocol';
import { readable } from '../chain/readable.js';
import type { ProbeOutcome } from './simulate-deposit.js';

/** What a simulation means. */
export interface Verdict {
  readonly verdict: CapabilityVerdict;
  readonly failedStep: 'deposit' | 'redeem' | null;
  readonly reason: string | null;
  /** A larger deposit may work. */
  readonly isTooSmall: boolean;
}

// By the names and texts of tokens and vaults of the field; the first that fits counts.
const reasons: readonly (readonly [CapabilityVerdict, RegExp])[] = [
  ['paused', /pause|frozen|shutdown|OperationDisabled/i],
  [
    'whitelist',
    /white ?list|allow ?list|unauthori[sz]ed|not ?(allowed|authori[sz]ed|permitted)|kyc|CannotReceive/i,
  ],
  ['below-minimum', /below ?min|minimum|too ?(small|low)|zero_?shares|(mint|issue) zero/i],
];
const closed =
  /ExceededMax(Deposit|Mint)|more ?than ?max|(cap|limit)s?.*(exceed|reach)|exceed.*(cap|limit)|closed/i;

/** Fractions of what was deposited, in basis points, that the redeem must at least pay. */
const withoutFee = 9_900n;
const withDocumentedFee = 9_000n;
const all = 10_000n;

/** Judge a simulated deposit and redeem. What the vault says about its limits plays no part. */
export function verdictOf(outcome: ProbeOutcome, assetsIn: bigint): Verdict {
  if (outcome.isDepositAsync || outcome.isRedeemAsync) {
    const failedStep = outcome.isDepositAsync ? 'deposit' : 'redeem';
    return { verdict: 'async', failedStep, reason: 'ERC-7540', isTooSmall: false };
  }
  if (outcome.failedStep === 'none') return verdictOfRoundTrip(outcome, assetsIn);

  const failedStep = outcome.failedStep === 'redeem' ? 'redeem' : 'deposit';
  const hasNoShares = outcome.failedStep === 'shares';
  const reason = hasNoShares ? 'NO_SHARES' : reasonOf(outcome);
  const verdict = outcome.isPaused ? 'paused' : verdictOfReason(reason, failedStep);
  return { verdict, failedStep, reason, isTooSmall: verdict === 'below-minimum' || hasNoShares };
}

/**
 * A fee on exit is no fault as long as the vault's own preview shows it and most of the deposit comes back: it is
 * told as the reason of the verdict `ok`.
 */
function verdictOfRoundTrip({ assetsOut, assetsPreviewed }: ProbeOutcome, assetsIn: bigint): Verdict {
  const pays = (least: bigint) => assetsOut * all >= assetsIn * least;
  if (pays(withoutFee)) return { verdict: 'ok', failedStep: null, reason: null, isTooSmall: false };
  const isDocumented = assetsOut * all >= assetsPreviewed * withoutFee && assetsPreviewed > 0n;
  const reason = `PAYS_BACK_${(Number((assetsOut * all) / assetsIn) / 100).toFixed(2)}_PERCENT`;
  return isDocumented && pays(withDocumentedFee)
    ? { verdict: 'ok', failedStep: null, reason, isTooSmall: false }
    : { verdict: 'reverts', failedStep: 'redeem', reason, isTooSmall: false };
}

function reasonOf({ isOutOfGas, revertData }: ProbeOutcome): string {
  return isOutOfGas ? 'OUT_OF_GAS' : readable(decodeRevertReason(revertData));
}

function verdictOfReason(reason: string, failedStep: 'deposit' | 'redeem'): CapabilityVerdict {
  const known = reasons.find(([, pattern]) => pattern.test(reason));
  if (known) return known[0];
  if (failedStep === 'redeem') return 'reverts';
  return reason === 'NO_SHARES' || closed.test(reason) ? 'deposit-closed' : 'reverts';
}
