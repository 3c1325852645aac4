/** The fixed parts of an error: its documented sentence, whether the same call may succeed later, and what to do next. @local */
export interface ErrorCatalogueEntry {
  readonly error: string;
  readonly retryable: boolean;
  readonly nextAction: string;
}

/** Every error of the interface by its stable code. The sentences follow the specification, letter for letter. */
export const errorCatalogue = {
  INVALID_PARAMETERS: {
    error: 'Invalid request parameters',
    retryable: false,
    nextAction: 'Correct the fields listed in details.violations and send the request again.',
  },
  CHAIN_NOT_ACTIVE: {
    error: 'Chain is not active',
    retryable: false,
    nextAction: 'Use one of the chains in details.supportedChains.',
  },
  UNKNOWN_VAULT: {
    error: 'Unknown vault',
    retryable: false,
    nextAction: 'Call discover and use a vaultId of its response.',
  },
  ASSET_MISMATCH: {
    error: 'Asset does not match the vault',
    retryable: false,
    nextAction: 'Send details.vaultAsset as the asset.',
  },
  VAULT_AT_CAPACITY: {
    error: 'Vault is at capacity',
    retryable: false,
    nextAction: 'Lower the amount, or call discover and choose another vault.',
  },
  DEPOSITS_PAUSED: {
    error: 'Deposits are paused',
    retryable: true,
    nextAction: 'Retry after the Retry-After time. Redeem is never paused.',
  },
  DEPOSIT_CAP_REACHED: {
    error: 'Deposit cap is reached',
    retryable: false,
    nextAction: 'Lower the amount, or choose another vault where details.scope is vault.',
  },
  INSUFFICIENT_BALANCE: {
    error: 'Insufficient balance',
    retryable: false,
    nextAction:
      'Add details.missing of details.token to the wallet or lower the amount to details.maxAmount. Then send the request again.',
  },
  NO_SUITABLE_VAULTS: {
    error: 'No suitable vaults found',
    retryable: false,
    nextAction: 'Loosen asset, riskTolerance or minApy.',
  },
  PAYMENT_REQUIRED: {
    error: 'Payment required',
    retryable: false,
    nextAction: 'Attach a payment for one of the accepted terms and send the same request again.',
  },
  SETUP_TICKET_REJECTED: {
    error: 'Setup ticket rejected',
    retryable: false,
    nextAction: 'Call prepare again and use the new setup ticket unchanged.',
  },
  SETUP_TRANSACTION_REJECTED: {
    error: 'Setup transaction rejected',
    retryable: false,
    nextAction: 'Sign the setup block of prepare unchanged and send the transaction again.',
  },
  ALREADY_SET_UP: {
    error: 'Wallet is already set up',
    retryable: false,
    nextAction: 'Call prepare. It returns the intent to sign.',
  },
  SETUP_TRANSACTION_REVERTED: {
    error: 'Setup transaction reverted',
    retryable: false,
    nextAction: 'Call prepare again. It returns the setup that is still missing.',
  },
  TRANSACTION_VALIDATION_FAILED: {
    error: 'Transaction validation failed',
    retryable: false,
    nextAction: 'Call prepare again and sign the envelope exactly as it is returned.',
  },
  PREFLIGHT_SIMULATION_FAILED: {
    error: 'Preflight simulation failed',
    retryable: false,
    nextAction: 'Check balance and approvals, then call prepare again.',
  },
  TRANSACTION_SUBMISSION_FAILED: {
    error: 'Transaction submission failed',
    retryable: false,
    nextAction: 'Call prepare again and re-sign the new envelope.',
  },
  TESTING_CAP_EXCEEDED: {
    error: 'ethWei/usdcAmount exceeds testing cap',
    retryable: false,
    nextAction: 'Lower the amount to the caps in details.limits. Repeated calls are allowed.',
  },
  UNAUTHORIZED: {
    error: 'Unauthorized',
    retryable: false,
    nextAction: 'Send the credential of the service as Authorization: Bearer <credential>.',
  },
  WALLET_NOT_ALLOWED: {
    error: 'Wallet is not allowed',
    retryable: false,
    nextAction: 'Use a wallet on the allowlist of this deployment.',
  },
  FORKS_NOT_CONFIGURED: {
    error: 'Test forks are not configured',
    retryable: false,
    nextAction: 'Ask the operator to configure the fork service of this deployment.',
  },
  FORK_NOT_RUNNING: {
    error: 'Fork is not running',
    retryable: true,
    nextAction: 'Check fork-status and retry. The fork is recreated.',
  },
  UPSTREAM_UNAVAILABLE: {
    error: 'Service unavailable',
    retryable: true,
    nextAction: 'Retry the same request after the Retry-After time.',
  },
  TRANSACTION_PENDING: {
    error: 'Transaction is pending',
    retryable: true,
    nextAction: 'Send the same request again. It continues to wait and never submits twice.',
  },
  PAYMENT_IN_USE: {
    error: 'Payment is in use',
    retryable: false,
    nextAction: 'Sign a new payment for this request.',
  },
  BODY_TOO_LARGE: {
    error: 'Request body too large',
    retryable: false,
    nextAction: 'Send a body of at most details.limitBytes bytes.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    error: 'Unsupported media type',
    retryable: false,
    nextAction: 'Send JSON with the header Content-Type: application/json.',
  },
  DATA_STALE: {
    error: 'Market data is stale',
    retryable: true,
    nextAction: 'Retry after the Retry-After time. /health shows the age of the data.',
  },
  FORK_CAPACITY: {
    error: 'Fork capacity reached',
    retryable: true,
    nextAction: 'Retry after the Retry-After time.',
  },
  FUNDING_FAILED: {
    error: 'Funding failed',
    retryable: true,
    nextAction: 'Check fork-status and retry.',
  },
  NOT_FOUND: {
    error: 'Not found',
    retryable: false,
    nextAction: 'Use a path and method of /openapi.json.',
  },
  RATE_LIMIT_EXCEEDED: {
    error: 'Rate limit exceeded',
    retryable: true,
    nextAction: 'Retry after the Retry-After time and keep to the RateLimit-* headers.',
  },
  INTERNAL: {
    error: 'Internal error',
    retryable: false,
    nextAction: 'Report the requestId to the operator.',
  },
} as const satisfies Record<string, ErrorCatalogueEntry>;

/** A stable error code of the interface. */
export type ErrorCode = keyof typeof errorCatalogue;

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
