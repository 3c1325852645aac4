export {
  decimalPattern,
  formatAmount,
  maxBigInt,
  minBigInt,
  minimumOut,
  parseAmount,
  percentageToFraction,
  shareOfBalance,
  usdcDecimals,
  type Fraction,
} from './amounts.js';
export { ConfigError } from './errors/config-error.js';
export { aaCodes, findAaCode, operatorAction, type AaCode, type AaCodeEntry } from './errors/aa-codes.js';
export {
  errorCatalogue,
  transactionValidationReasons,
  type ErrorCode,
  type TransactionValidationReason,
} from './errors/error-catalogue.js';
export {
  AlreadySetUpError,
  AssetMismatchError,
  BodyTooLargeError,
  ChainNotActiveError,
  DataStaleError,
  DepositCapReachedError,
  DepositsPausedError,
  ForkCapacityError,
  ForkNotRunningError,
  ForksNotConfiguredError,
  FundingFailedError,
  InsufficientBalanceError,
  InternalError,
  InvalidParametersError,
  NoSuitableVaultsError,
  NotFoundError,
  PaymentInUseError,
  PreflightSimulationError,
  RateLimitExceededError,
  SetupTicketRejectedError,
  SetupTransactionRejectedError,
  SetupTransactionRevertedError,
  TestingCapExceededError,
  TransactionPendingError,
  TransactionSubmissionError,
  TransactionValidationError,
  UnauthorizedError,
  UnknownVaultError,
  UnsupportedMediaTypeError,
  UpstreamUnavailableError,
  VaultAtCapacityError,
  WalletNotAllowedError,
} from './errors/errors.js';
export { findError, isNamed, isViemError, walkCauses, type ViemErrors } from './errors/find-error.js';
export { invalidParameters, type Violation } from './errors/violations.js';
export { ServiceError, type Json, type ServiceErrorOptions } from './errors/service-error.js';
export { isLowS, sameHex } from './hex.js';
export type { AwaitedOperation, Sighting } from './awaited-operation.js';
export { silentLogger, type LoggerPort } from './logger.js';
export {
  intentDigest,
  intentSigning,
  intentTypes,
  maxIntentTime,
  type IntentMessage,
} from './intent/signing.js';
export { intentLeafHash, verifyIntentProof, type IntentLeaf } from './intent/tree.js';
export {
  eip7702Marker,
  fromWireUserOperation,
  packPaymasterAndData,
  totalGasLimit,
  toWireUserOperation,
  unpackPaymasterAndData,
  userOperationHash,
  type UserOperation,
} from './intent/user-operation.js';
export { setupTicketId, vaultIdOf } from './ids.js';
export { vaultWarnings } from './warnings.js';
export {
  callOperations,
  type CallOperation,
  type CallsRequest,
  type CallsResponse,
  type WalletCall,
} from './wire/calls.js';
export {
  executionModel,
  type ExecuteRequest,
  type ExecuteResponse,
  type PositionUpdate,
} from './wire/execute.js';
export type {
  Eip7702Auth,
  EnvelopeUserOperation,
  IntentEnvelope,
  IntentSigning,
  PreparedIntentEnvelope,
  WireUserOperation,
} from './wire/intent-envelope.js';
export {
  intentStates,
  type IntentFailureReport,
  type IntentListRequest,
  type IntentListResponse,
  type IntentState,
  type IntentStatus,
} from './wire/intents.js';
export {
  operations,
  type Execution,
  type ExecutionCosts,
  type ExecutionStrategy,
  type Operation,
  type PrepareExecutionResponse,
  type PrepareRequest,
  type PrepareResponse,
  type PrepareSetupResponse,
  type RebalanceSource,
  type RebalanceSteering,
  type RebalanceTarget,
  type ServedDeposit,
  type ServedRebalance,
  type ServedRedeem,
  type ServedSetup,
  type SetupCosts,
  type SetupStrategy,
} from './wire/prepare.js';
export {
  gaslessSetupPath,
  setupChecks,
  setupTypes,
  type GaslessSetup,
  type GaslessSetupCheck,
  type GaslessSetupRequest,
  type PermitTypedData,
  type SetupBlock,
  type SetupCheck,
  type SetupRelayRequest,
  type SetupRelayResponse,
  type SetupTicket,
  type SetupType,
} from './wire/setup.js';
export {
  addressPattern,
  digitsPattern,
  environments,
  hash32Pattern,
  hexPattern,
  signedDecimalPattern,
  type Environment,
  type RelayMode,
} from './wire/values.js';
export type {
  ChainHealth,
  ChainReadiness,
  ChainInfo,
  ChainsResponse,
  ErrorResponse,
  Health,
  PaymentRequiredResponse,
  PaymentRequirements,
  PaymentRequirementsV1,
  PricedItem,
  PricesResponse,
  Ready,
} from './wire/service.js';
export type {
  ChainWallet,
  IdleBalance,
  Position,
  StatusBatchRequest,
  StatusBatchResponse,
  StatusRequest,
  StatusResponse,
  WalletSetup,
  WalletStatus,
} from './wire/status.js';
export type {
  AlternativesRequest,
  AlternativesResponse,
  QuoteExit,
  QuoteGas,
  QuoteRequest,
  VaultQuote,
} from './wire/quote.js';
export {
  historyPeriods,
  historyResolutions,
  riskLevels,
  strategies,
  type Apy,
  type Asset,
  type DiscoverRequest,
  type DiscoverResponse,
  type HistoryPeriod,
  type HistoryPoint,
  type HistoryRequest,
  type HistoryResolution,
  type HistoryResponse,
  type RankedVault,
  type Risk,
  type RiskLevel,
  type RiskRating,
  type Sharpe,
  type Strategy,
  type Tier,
  type Vault,
  type VaultCandidate,
  type VaultMetrics,
} from './wire/vault.js';
export type {
  ForkStatusResponse,
  FundingLimits,
  FundWalletRequest,
  FundWalletResponse,
  PrimaryFork,
  WireForkRecord,
} from './wire/testing.js';
export type {
  ApyExplanation,
  CompositeExplanation,
  PriceSample,
  RiskFactorExplanation,
} from './wire/vault-explanation.js';
export {
  capabilityResults,
  type CapabilityResult,
  type VaultCapability,
  type VaultListRequest,
  type VaultListResponse,
  type VaultReport,
  type VaultSummary,
} from './wire/vault-report.js';
export {
  exitMethods,
  type AdminKind,
  type ExitDay,
  type ExitMethod,
  type ExitPoint,
  type Governance,
  type PendingChange,
  type VaultExit,
  type VaultExitReport,
  type VaultFees,
  type VaultMarket,
  type VaultReward,
  type Warning,
} from './wire/vault-facts.js';
