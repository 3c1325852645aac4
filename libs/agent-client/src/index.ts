export {
  describeDelegation,
  requireKnownModules,
  UnknownChainError,
  UnknownModulesError,
  type Delegation,
  type DelegationReport,
  type DelegationRpc,
  type DescribeOptions,
  type WalletModule,
} from './delegation/describe-delegation.js';
export {
  prepareRevocation,
  revokeDelegation,
  UnknownDelegationError,
  type Revocation,
  type RevocationRpc,
  type RevokeOptions,
} from './delegation/revoke-delegation.js';
export { TransactionInFlightError } from './delegation/price-transaction.js';
export {
  prepareIntentRevocation,
  revokeIntent,
  type IntentRevocation,
  type IntentRevocationRpc,
} from './delegation/revoke-intent.js';
export {
  ApiError,
  FlowError,
  IntentFailedError,
  IntentPendingError,
  MalformedResponseError,
  NodeFailedError,
  ServiceUnreachableError,
  SetupPendingError,
  type ApiErrorParts,
  type FlowErrorCode,
} from './errors.js';
export { execute } from './flow/execute.js';
export { resolveIntent } from './flow/resolve-intent.js';
export { findToken } from './flow/expected-operation.js';
export { verifySetupWithNode, verifyWithNode } from './flow/verify-with-node.js';
export { run, type RunOptions, type RunResult, type VaultFilter } from './flow/run.js';
export type {
  Agent,
  ExecuteResult,
  Execution,
  FoundExecution,
  OperationRequest,
  RelayedSetup,
} from './flow/types.js';
export { createAgentClient, type AgentClient } from './http/create-agent-client.js';
export { isRefusal } from './http/read-response.js';
export type { AgentClientOptions, Payer, PaymentDemand } from './http/create-caller.js';
export { signGaslessSetup } from './sign/sign-gasless-setup.js';
export { signIntent } from './sign/sign-intent.js';
export { signSetup } from './sign/sign-setup.js';
export { signTransaction, type UnsignedTransaction } from './sign/sign-transaction.js';
export { addressOf, type AgentSigner, type EthersSigner } from './sign/signer.js';
export type {
  ChainsResponse,
  DiscoverRequest,
  DiscoverResponse,
  ExecuteRequest,
  ExecuteResponse,
  ForkStatusResponse,
  FundWalletRequest,
  FundWalletResponse,
  GaslessSetupRequest,
  Health,
  HistoryRequest,
  HistoryResponse,
  IntentListRequest,
  IntentListResponse,
  IntentStatus,
  PrepareExecutionResponse,
  PrepareRequest,
  PrepareResponse,
  PrepareSetupResponse,
  SetupRelayRequest,
  SetupRelayResponse,
  StatusResponse,
  VaultCandidate,
  VaultListRequest,
  VaultListResponse,
  VaultReport,
} from './types.js';
export {
  agentAddressBook,
  circlePaymasterTerms,
  deriveDeployment,
  extendAddressBook,
  InvalidAddressBookError,
  localAddressBook,
  ownPaymasterTerms,
  parseAddressBook,
  type AddressBook,
  type BookDeployment,
  type BookPaymaster,
  type BookToken,
} from './verify/address-book.js';
export type { Effect } from './verify/effects.js';
export {
  InvalidExpectationsError,
  parseExpectations,
  parseGaslessSetupExpectations,
  parseSetupExpectations,
  type EnvelopeExpectations,
  type ExpectedOperation,
  type GaslessSetupExpectations,
  type SetupExpectations,
} from './verify/expectations.js';
export {
  accepted,
  verificationReasons,
  VerificationError,
  type Refusal,
  type VerificationReason,
} from './verify/result.js';
export {
  describeEnvelope,
  verifyEnvelope,
  type EnvelopeResult,
  type VerifiedEnvelope,
  type VerifyOptions,
} from './verify/verify-envelope.js';
export {
  verifyGaslessSetup,
  type GaslessSetupResult,
  type VerifiedGaslessSetup,
} from './verify/verify-gasless-setup.js';
export {
  verifySetup,
  type SetupResult,
  type SetupTransaction,
  type VerifiedSetup,
} from './verify/verify-setup.js';
