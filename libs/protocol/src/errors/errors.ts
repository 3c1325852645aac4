import type { ErrorCode } from './error-catalogue.js';
import { ServiceError, type ServiceErrorOptions } from './service-error.js';

/** Build the class of one code. The return type is written out because declarations cannot name an inner class. */
function errorOf<Code extends ErrorCode>(
  code: Code,
): new (options: ServiceErrorOptions) => ServiceError & { readonly code: Code } {
  return class extends ServiceError {
    static readonly code = code;
    readonly code = code;

    constructor(options: ServiceErrorOptions) {
      super(code, options);
    }
  };
}

/** A field of the request breaks a rule of the interface. */
export class InvalidParametersError extends errorOf('INVALID_PARAMETERS') {}

/** The chain key is not active on this deployment. */
export class ChainNotActiveError extends errorOf('CHAIN_NOT_ACTIVE') {}

/** The vaultId is not in the catalogue. */
export class UnknownVaultError extends errorOf('UNKNOWN_VAULT') {}

/** The requested asset is not the asset of the vault. */
export class AssetMismatchError extends errorOf('ASSET_MISMATCH') {}

/** The vault does not accept this amount, or any deposit now. */
export class VaultAtCapacityError extends errorOf('VAULT_AT_CAPACITY') {}

/** The operator paused deposits; `details.paused` says which. */
export class DepositsPausedError extends errorOf('DEPOSITS_PAUSED') {}

/** The deposit would exceed a cap of the operator. */
export class DepositCapReachedError extends errorOf('DEPOSIT_CAP_REACHED') {}

/** The wallet lacks assets, shares or USDC for gas. */
export class InsufficientBalanceError extends errorOf('INSUFFICIENT_BALANCE') {}

/** No active vault fits the request. */
export class NoSuitableVaultsError extends errorOf('NO_SUITABLE_VAULTS') {}

/** A check of the setup ticket failed; `details.failedCheck` names it. */
export class SetupTicketRejectedError extends errorOf('SETUP_TICKET_REJECTED') {}

/** A check of the signed setup transaction failed; `details.failedCheck` names it. */
export class SetupTransactionRejectedError extends errorOf('SETUP_TRANSACTION_REJECTED') {}

/** The wallet needs no setup. */
export class AlreadySetUpError extends errorOf('ALREADY_SET_UP') {}

/** The setup transaction was mined and reverted. */
export class SetupTransactionRevertedError extends errorOf('SETUP_TRANSACTION_REVERTED') {}

/** The signed intent does not match policy; `details.reason` says how. */
export class TransactionValidationError extends errorOf('TRANSACTION_VALIDATION_FAILED') {}

/** The simulation of the signed intent reverted; nothing was submitted. */
export class PreflightSimulationError extends errorOf('PREFLIGHT_SIMULATION_FAILED') {}

/** The bundler refused the user operation, or it reverted on chain. */
export class TransactionSubmissionError extends errorOf('TRANSACTION_SUBMISSION_FAILED') {}

/** A dependency is down or slow; `details.dependency` names it. */
export class UpstreamUnavailableError extends errorOf('UPSTREAM_UNAVAILABLE') {}

/** The transaction was submitted and is not final yet. */
export class TransactionPendingError extends errorOf('TRANSACTION_PENDING') {}

/** Another request is using the payment. */
export class PaymentInUseError extends errorOf('PAYMENT_IN_USE') {}

/** The ranking is older than the deployment allows. */
export class DataStaleError extends errorOf('DATA_STALE') {}

/** A fund-wallet request exceeds the cap per call; `details.limits` has the caps. */
export class TestingCapExceededError extends errorOf('TESTING_CAP_EXCEEDED') {}

/** The credential of an operator is missing or wrong. */
export class UnauthorizedError extends errorOf('UNAUTHORIZED') {}

/** The wallet is not on the allowlist of the testing tools. */
export class WalletNotAllowedError extends errorOf('WALLET_NOT_ALLOWED') {}

/** The deployment has no forks. */
export class ForksNotConfiguredError extends errorOf('FORKS_NOT_CONFIGURED') {}

/** The fork of the chain is gone or does not respond; it is recreated. */
export class ForkNotRunningError extends errorOf('FORK_NOT_RUNNING') {}

/** The fork service has reached its limit of forks. */
export class ForkCapacityError extends errorOf('FORK_CAPACITY') {}

/** The fork runs but the wallet could not be funded on it. */
export class FundingFailedError extends errorOf('FUNDING_FAILED') {}

/** The path or method does not exist. */
export class NotFoundError extends errorOf('NOT_FOUND') {}

/** Something unexpected; the text is fixed. */
export class InternalError extends errorOf('INTERNAL') {}

/** The request body is over the limit. */
export class BodyTooLargeError extends errorOf('BODY_TOO_LARGE') {}

/** The request body is not JSON. */
export class UnsupportedMediaTypeError extends errorOf('UNSUPPORTED_MEDIA_TYPE') {}

/** The client sent too many requests in this window. */
export class RateLimitExceededError extends errorOf('RATE_LIMIT_EXCEEDED') {}
