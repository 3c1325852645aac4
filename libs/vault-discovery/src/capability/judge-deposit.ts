import { decodeRevertReason } from '@yield-vault/contracts';
import type { CapabilityResult } from '@yield-vault/protocol';
import type { ProbeOutcome } from './simulate-deposit.js';

/** The result of a simulated deposit and redeem. */
export interface DepositResult {
  readonly result: CapabilityResult;
  readonly failedStep: 'deposit' | 'redeem' | null;
  readonly reason: string | null;
  /** A larger deposit may work. */
  readonly isTooSmall: boolean;
}

// Error names and texts of common tokens and vaults; the first match counts.
const reasons: readonly (readonly [CapabilityResult, RegExp])[] = [
  ['paused', /pause|frozen|shutdown|OperationDisabled/i],
  [
    'whitelist',
    /white ?list|allow ?list|unauthori[sz]ed|not ?(allowed|authori[sz]ed|permitted)|kyc|CannotReceive/i,
  ],
  ['below-minimum', /below ?min|minimum|too ?(small|low)|zero_?shares|(mint|issue) zero/i],
];
const closed =
  /ExceededMax(Deposit|Mint)|more ?than ?max|(cap|limit)s?.*(exceed|reach)|exceed.*(cap|limit)|closed/i;

/** What less than that pays back is no fee. In basis points of the deposit. */
const leastPaidBack = 9_000n;
const withoutFee = 9_900n;
const all = 10_000n;

/** Judge a simulated deposit and redeem. The vault's `max*` functions play no part. */
export function judgeDeposit(outcome: ProbeOutcome, assetsIn: bigint): DepositResult {
  if (outcome.isDepositAsync || outcome.isRedeemAsync) {
    const failedStep = outcome.isDepositAsync ? 'deposit' : 'redeem';
    return { result: 'async', failedStep, reason: 'ERC-7540', isTooSmall: false };
  }
  if (outcome.failedStep === 'none') return resultOfRoundTrip(outcome, assetsIn);

  const failedStep = outcome.failedStep === 'redeem' ? 'redeem' : 'deposit';
  const hasNoShares = outcome.failedStep === 'shares';
  const reason = hasNoShares ? 'NO_SHARES' : reasonOf(outcome);
  const result = outcome.isPaused ? 'paused' : resultOfReason(reason, failedStep);
  return { result, failedStep, reason, isTooSmall: result === 'below-minimum' || hasNoShares };
}

/** Fees are named in the reason; whether they are too high is not judged here. */
function resultOfRoundTrip({ assetsOut }: ProbeOutcome, assetsIn: bigint): DepositResult {
  const pays = (least: bigint) => assetsOut * all >= assetsIn * least;
  const reason = pays(withoutFee)
    ? null
    : `PAYS_BACK_${(Number((assetsOut * all) / assetsIn) / 100).toFixed(2)}_PERCENT`;
  return pays(leastPaidBack)
    ? { result: 'ok', failedStep: null, reason, isTooSmall: false }
    : { result: 'reverts', failedStep: 'redeem', reason, isTooSmall: false };
}

function reasonOf({ isOutOfGas, revertData }: ProbeOutcome): string {
  return isOutOfGas ? 'OUT_OF_GAS' : decodeRevertReason(revertData);
}

function resultOfReason(reason: string, failedStep: 'deposit' | 'redeem'): CapabilityResult {
  const known = reasons.find(([, pattern]) => pattern.test(reason));
  if (known) return known[0];
  if (failedStep === 'redeem') return 'reverts';
  return reason === 'NO_SHARES' || closed.test(reason) ? 'deposit-closed' : 'reverts';
}
