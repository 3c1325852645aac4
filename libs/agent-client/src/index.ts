export { describeDelegation } from './eoa/describe-delegation.js';
export {
  NodeFailedError,
  TransactionInFlightError,
  UnknownChainError,
  UnknownModulesError,
  UnsetupRefusedError,
} from './eoa/errors.js';
export { prepareUnsetup } from './eoa/prepare-unsetup.js';
export { requireKnownModules } from './eoa/require-known-modules.js';
export { signUnsetup } from './eoa/sign-unsetup.js';
export type {
  ClaimedModules,
  Delegation,
  DelegationReport,
  DelegationRpc,
  DescribeOptions,
  Unsetup,
  UnsetupOptions,
  UnsetupRpc,
  UnsetupStep,
  WalletAllowance,
  WalletModule,
} from './eoa/types.js';
export {
  ApiError,
  IntentFailedError,
  IntentPendingError,
  JourneyError,
  MalformedAnswerError,
  ServiceUnreachableError,
  SetupPendingError,
  VerificationError,
  type ApiErrorParts,
  type JourneyErrorCode,
} from './errors.js';
export { createAgentClient, type AgentClient, type AgentClientOptions } from './http/create-agent-client.js';
export type { Payer, PaymentDemand } from './http/payer.js';
export type {
  DiscoverRequest,
  DiscoverResponse,
  ExecuteRequest,
  ExecuteResponse,
  ForkStatusResponse,
  FundWalletRequest,
  FundWalletResponse,
  Health,
  HistoryRequest,
  HistoryResponse,
  PrepareRequest,
  PrepareResponse,
  SetupRelayRequest,
  SetupRelayResponse,
  StatusResponse,
  VaultCandidate,
  VaultListRequest,
  VaultListResponse,
  VaultReport,
} from './types.js';
export { agentAddressBook } from './verify/address-book/agent-address-book.js';
export { deriveDeployment } from './verify/address-book/derive-deployment.js';
export { extendAddressBook } from './verify/address-book/extend-address-book.js';
export { localAddressBook } from './verify/address-book/local-address-book.js';
export { parseAddressBook } from './verify/address-book/parse-address-book.js';
export { circlePaymasterTerms, ownPaymasterTerms } from './verify/address-book/paymaster-terms.js';
export { describeEnvelope } from './verify/describe-envelope.js';
export { InvalidAddressBookError, InvalidExpectationsError } from './verify/errors.js';
export { parseExpectations, parseSetupExpectations } from './verify/parse-expectations.js';
export type {
  AddressBook,
  BookDeployment,
  BookPaymaster,
  BookToken,
  Effect,
  EnvelopeExpectations,
  EnvelopeVerdict,
  ExpectedOperation,
  Refusal,
  SetupExpectations,
  SetupTransaction,
  SetupVerdict,
  VerifiedEnvelope,
  VerifiedSetup,
  VerifyOptions,
} from './verify/types.js';
export { verificationReasons, type VerificationReason } from './verify/verification-reason.js';
export { verifyEnvelope } from './verify/verify-envelope.js';
export { verifySetup } from './verify/verify-setup.js';
export { accepted } from './journey/accepted.js';
export { carryOut } from './journey/carry-out.js';
export type { Wish } from './journey/choose-vault.js';
export { runJourney, type Journey, type JourneyOptions } from './journey/run-journey.js';
export { settleIntent } from './journey/settle-intent.js';
export type { Agent, Execution, FoundExecution, Order, Outcome, RelayedSetup } from './journey/types.js';
export { signIntent } from './sign/sign-intent.js';
export { signSetup } from './sign/sign-setup.js';
export { signTransaction, type UnsignedTransaction } from './sign/sign-transaction.js';
export { addressOf, type AgentSigner, type EthersSigner } from './sign/signer.js';
