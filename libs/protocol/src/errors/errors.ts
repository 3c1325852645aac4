import { ServiceError, type ServiceErrorOptions } from './service-error.js';

/** A field of the request breaks a rule of the interface. */
export class InvalidParametersError extends ServiceError {
  readonly code = 'INVALID_PARAMETERS' as const;

  constructor(options: ServiceErrorOptions) {
    super('INVALID_PARAMETERS', options);
  }
}

/** The chain key is not active on this deployment. */
export class ChainNotActiveError extends ServiceError {
  readonly code = 'CHAIN_NOT_ACTIVE' as const;

  constructor(options: ServiceErrorOptions) {
    super('CHAIN_NOT_ACTIVE', options);
  }
}

/** The vaultId is not in the catalogue. */
export class UnknownVaultError extends ServiceError {
  readonly code = 'UNKNOWN_VAULT' as const;

  constructor(options: ServiceErrorOptions) {
    super('UNKNOWN_VAULT', options);
  }
}

/** The asset given is not the asset of the vault. */
export class AssetMismatchError extends ServiceError {
  readonly code = 'ASSET_MISMATCH' as const;

  constructor(options: ServiceErrorOptions) {
    super('ASSET_MISMATCH', options);
  }
}

/** The vault does not take this much, or takes no deposit now. */
export class VaultAtCapacityError extends ServiceError {
  readonly code = 'VAULT_AT_CAPACITY' as const;

  constructor(options: ServiceErrorOptions) {
    super('VAULT_AT_CAPACITY', options);
  }
}

/** The wallet lacks assets, shares or USDC for gas. */
export class InsufficientBalanceError extends ServiceError {
  readonly code = 'INSUFFICIENT_BALANCE' as const;

  constructor(options: ServiceErrorOptions) {
    super('INSUFFICIENT_BALANCE', options);
  }
}

/** No active vault fits the request. */
export class NoSuitableVaultsError extends ServiceError {
  readonly code = 'NO_SUITABLE_VAULTS' as const;

  constructor(options: ServiceErrorOptions) {
    super('NO_SUITABLE_VAULTS', options);
  }
}

/** A check of the setup ticket failed; `details.failedCheck` names it. */
export class SetupTicketRejectedError extends ServiceError {
  readonly code = 'SETUP_TICKET_REJECTED' as const;

  constructor(options: ServiceErrorOptions) {
    super('SETUP_TICKET_REJECTED', options);
  }
}

/** A check of the signed setup transaction failed; `details.failedCheck` names it. */
export class SetupTransactionRejectedError extends ServiceError {
  readonly code = 'SETUP_TRANSACTION_REJECTED' as const;

  constructor(options: ServiceErrorOptions) {
    super('SETUP_TRANSACTION_REJECTED', options);
  }
}

/** The setup transaction was mined and reverted. */
export class SetupTransactionRevertedError extends ServiceError {
  readonly code = 'SETUP_TRANSACTION_REVERTED' as const;

  constructor(options: ServiceErrorOptions) {
    super('SETUP_TRANSACTION_REVERTED', options);
  }
}

/** The signed intent does not match policy; `details.reason` says how. */
export class TransactionValidationError extends ServiceError {
  readonly code = 'TRANSACTION_VALIDATION_FAILED' as const;

  constructor(options: ServiceErrorOptions) {
    super('TRANSACTION_VALIDATION_FAILED', options);
  }
}

/** The simulation of the signed intent reverted; nothing was submitted. */
export class PreflightSimulationError extends ServiceError {
  readonly code = 'PREFLIGHT_SIMULATION_FAILED' as const;

  constructor(options: ServiceErrorOptions) {
    super('PREFLIGHT_SIMULATION_FAILED', options);
  }
}

/** The bundler refused the user operation, or it reverted on chain. */
export class TransactionSubmissionError extends ServiceError {
  readonly code = 'TRANSACTION_SUBMISSION_FAILED' as const;

  constructor(options: ServiceErrorOptions) {
    super('TRANSACTION_SUBMISSION_FAILED', options);
  }
}

/** A dependency is down or slow; `details.dependency` names it. */
export class UpstreamUnavailableError extends ServiceError {
  readonly code = 'UPSTREAM_UNAVAILABLE' as const;

  constructor(options: ServiceErrorOptions) {
    super('UPSTREAM_UNAVAILABLE', options);
  }
}

/** The transaction was submitted and is not final yet. */
export class TransactionPendingError extends ServiceError {
  readonly code = 'TRANSACTION_PENDING' as const;

  constructor(options: ServiceErrorOptions) {
    super('TRANSACTION_PENDING', options);
  }
}

/** The owner cancelled the intent. */
export class IntentCancelledError extends ServiceError {
  readonly code = 'INTENT_CANCELLED' as const;

  constructor(options: ServiceErrorOptions) {
    super('INTENT_CANCELLED', options);
  }
}

/** The payment is being used for another request. */
export class PaymentInUseError extends ServiceError {
  readonly code = 'PAYMENT_IN_USE' as const;

  constructor(options: ServiceErrorOptions) {
    super('PAYMENT_IN_USE', options);
  }
}

/** The ranking is older than the deployment allows. */
export class DataStaleError extends ServiceError {
  readonly code = 'DATA_STALE' as const;

  constructor(options: ServiceErrorOptions) {
    super('DATA_STALE', options);
  }
}

/** More than the cap of one call was asked of fund-wallet; `details.limits` has the caps. */
export class TestingCapExceededError extends ServiceError {
  readonly code = 'TESTING_CAP_EXCEEDED' as const;

  constructor(options: ServiceErrorOptions) {
    super('TESTING_CAP_EXCEEDED', options);
  }
}

/** The credential of an operator is missing or wrong. */
export class UnauthorizedError extends ServiceError {
  readonly code = 'UNAUTHORIZED' as const;

  constructor(options: ServiceErrorOptions) {
    super('UNAUTHORIZED', options);
  }
}

/** The wallet is not on the allowlist of the testing tools. */
export class WalletNotAllowedError extends ServiceError {
  readonly code = 'WALLET_NOT_ALLOWED' as const;

  constructor(options: ServiceErrorOptions) {
    super('WALLET_NOT_ALLOWED', options);
  }
}

/** The deployment has no forks. */
export class ForksNotConfiguredError extends ServiceError {
  readonly code = 'FORKS_NOT_CONFIGURED' as const;

  constructor(options: ServiceErrorOptions) {
    super('FORKS_NOT_CONFIGURED', options);
  }
}

/** The fork of the chain is gone or does not answer; it is recreated. */
export class ForkNotRunningError extends ServiceError {
  readonly code = 'FORK_NOT_RUNNING' as const;

  constructor(options: ServiceErrorOptions) {
    super('FORK_NOT_RUNNING', options);
  }
}

/** There is no room for another fork. */
export class ForkCapacityError extends ServiceError {
  readonly code = 'FORK_CAPACITY' as const;

  constructor(options: ServiceErrorOptions) {
    super('FORK_CAPACITY', options);
  }
}

/** The fork runs but the wallet could not be funded on it. */
export class FundingFailedError extends ServiceError {
  readonly code = 'FUNDING_FAILED' as const;

  constructor(options: ServiceErrorOptions) {
    super('FUNDING_FAILED', options);
  }
}

/** The path or method does not exist. */
export class NotFoundError extends ServiceError {
  readonly code = 'NOT_FOUND' as const;

  constructor(options: ServiceErrorOptions) {
    super('NOT_FOUND', options);
  }
}

/** Something unexpected; the text is fixed. */
export class InternalError extends ServiceError {
  readonly code = 'INTERNAL' as const;

  constructor(options: ServiceErrorOptions) {
    super('INTERNAL', options);
  }
}

/** The request body is over the limit. */
export class BodyTooLargeError extends ServiceError {
  readonly code = 'BODY_TOO_LARGE' as const;

  constructor(options: ServiceErrorOptions) {
    super('BODY_TOO_LARGE', options);
  }
}

/** The request body is not JSON. */
export class UnsupportedMediaTypeError extends ServiceError {
  readonly code = 'UNSUPPORTED_MEDIA_TYPE' as const;

  constructor(options: ServiceErrorOptions) {
    super('UNSUPPORTED_MEDIA_TYPE', options);
  }
}

/** The client used up its requests of this window. */
export class RateLimitExceededError extends ServiceError {
  readonly code = 'RATE_LIMIT_EXCEEDED' as const;

  constructor(options: ServiceErrorOptions) {
    super('RATE_LIMIT_EXCEEDED', options);
  }
}
