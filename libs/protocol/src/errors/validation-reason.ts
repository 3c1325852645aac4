/** Why a signed intent was refused before anything was submitted (`details.reason`). */
export const transactionValidationReasons = [
  'INTENT_ID_MISMATCH',
  'MERKLE_ROOT_MISMATCH',
  'INVALID_PROOF',
  'INVALID_SIGNATURE',
  'SIGNING_MISMATCH',
  'SENDER_MISMATCH',
  'INTENT_EXPIRED',
  'INTENT_NOT_YET_VALID',
  'INVALID_EXPIRY',
  'WRONG_ENTRY_POINT',
  'WRONG_PAYMASTER',
  'WRONG_NONCE_KEY',
  'CHAIN_NOT_ACTIVE',
  'CALLDATA_NOT_ALLOWED',
  'UNLISTED_VAULT',
  'UNSUPPORTED_ENVELOPE',
] as const;

/** A value of `details.reason` of TRANSACTION_VALIDATION_FAILED. */
export type TransactionValidationReason = (typeof transactionValidationReasons)[number];
