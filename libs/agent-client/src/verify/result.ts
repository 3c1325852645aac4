/** Why an envelope or a setup is not to be signed. */
export const verificationReasons = [
  'MALFORMED',
  'UNSUPPORTED_ENVELOPE',
  'UNKNOWN_CHAIN',
  'CHAIN_MISMATCH',
  'WALLET_MISMATCH',
  'ENTRY_POINT_MISMATCH',
  'VALIDATOR_MISMATCH',
  'PAYMASTER_MISMATCH',
  'PAYMASTER_DATA_NOT_ALLOWED',
  'NONCE_KEY_MISMATCH',
  'NONCE_MISMATCH',
  'INVALID_WINDOW',
  'EXPIRED',
  'EXPIRY_TOO_FAR',
  'MERKLE_ROOT_MISMATCH',
  'HIDDEN_LEAVES',
  'INTENT_ID_MISMATCH',
  'SIGNING_MISMATCH',
  'CALLDATA_NOT_ALLOWED',
  'OPERATION_MISMATCH',
  'VAULT_MISMATCH',
  'ASSET_MISMATCH',
  'AMOUNT_MISMATCH',
  'MINIMUM_TOO_LOW',
  'MINIMUM_TOO_HIGH',
  'ALLOWANCE_TOO_HIGH',
  'GAS_TOO_EXPENSIVE',
  'GAS_TOO_LOW',
  'IMPLEMENTATION_MISMATCH',
  'DELEGATION_MISMATCH',
  'SETUP_TYPE_MISMATCH',
  'TICKET_MISMATCH',
  'SIGNATURE_MISMATCH',
] as const;

/** A value of `reason` of a refused verification. */
export type VerificationReason = (typeof verificationReasons)[number];

/** Why a document must not be signed. */
export interface Refusal {
  readonly ok: false;
  readonly reason: VerificationReason;
  /** Path of the field that is wrong. */
  readonly field: string;
  /** One sentence. */
  readonly detail: string;
}

// The key of the owner of the local paymasters is public.
const localHint =
  ' Only for your own local deployment, use localAddressBook, which is --local of the command.';

/** The service handed out something that must not be signed. Nothing of it is signed. */
export class VerificationError extends Error {
  override readonly name = 'VerificationError';
  readonly reason: VerificationReason;
  /** Path of the field that is wrong. */
  readonly field: string;
  readonly detail: string;
  /** What to do next. */
  readonly nextAction: string;

  constructor({ reason, field, detail }: Refusal) {
    super(`${reason} at ${field}: ${detail}`);
    this.reason = reason;
    this.field = field;
    this.detail = detail;
    this.nextAction = `Sign nothing.${reason === 'PAYMASTER_MISMATCH' ? localHint : ''}`;
  }
}

/**
 * Return a result that is good.
 *
 * @throws {VerificationError} when it is a refusal
 * @example
 * const verified = accepted(verifyEnvelope(envelope, expectations));
 */
export function accepted<Result extends { readonly ok: boolean }>(
  result: Result | Refusal,
): Exclude<Result, Refusal> {
  if (!result.ok) throw new VerificationError(result as Refusal);
  return result as Exclude<Result, Refusal>;
}

/** Ends a verification; never leaves this folder. */
class Refused extends Error {
  constructor(readonly refusal: Refusal) {
    super(refusal.detail);
  }
}

/** End the verification. */
export function refuse(reason: VerificationReason, field: string, detail: string): never {
  throw new Refused({ ok: false, reason, field, detail });
}

/** End the verification unless a condition holds. A comparison with NaN does not hold. */
export function demand(
  condition: boolean,
  reason: VerificationReason,
  field: string,
  detail: string,
): asserts condition {
  if (!condition) refuse(reason, field, detail);
}

/** Run a verification and return its result. */
export function resultOf<Verified>(verify: () => Verified): Verified | Refusal {
  try {
    return verify();
  } catch (error) {
    if (error instanceof Refused) return error.refusal;
    throw error;
  }
}
