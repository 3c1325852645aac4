export type {
  ExecuteRequest,
  ExecuteResponse,
  IntentStatus,
  PrepareExecutionResponse,
  PrepareResponse,
  PrepareSetupResponse,
  StatusResponse,
  VaultCandidate,
  VaultReport,
} from '@yield-vault/protocol';
export { UnknownModulesError } from './delegation/describe-delegation.js';
export {
  ApiError,
  CallsFailedError,
  CallsPendingError,
  FlowError,
  IntentFailedError,
  IntentPendingError,
  MalformedResponseError,
  NodeFailedError,
  ServiceUnreachableError,
  SetupPendingError,
  type FlowErrorCode,
} from './errors.js';
export { describeEvent } from './flow/events.js';
export { execute } from './flow/execute.js';
export {
  executeCalls,
  type CallsAgent,
  type CallsOperation,
  type ExecutedCalls,
} from './flow/execute-calls.js';
export { findToken, narrowToTarget, prepareFields } from './flow/expected-operation.js';
export { resolveIntent } from './flow/submit-intent.js';
export { run, type RunOptions, type RunResult, type VaultFilter } from './flow/run.js';
export type {
  Agent,
  ExecuteResult,
  Execution,
  FlowEvent,
  FoundExecution,
  Limits,
  OperationRequest,
  RebalanceChoice,
  RelayedSetup,
  SetupOutcome,
} from './flow/types.js';
export {
  verifyGaslessSetupWithNode,
  verifySetupWithNode,
  verifyWithNode,
  type VerifyWithNodeOptions,
} from './flow/verify-with-node.js';
export type { OwnNode, WalletNode } from './flow/wallet-node.js';
export { createAgentClient, type AgentClient } from './http/create-agent-client.js';
export type { AgentClientOptions, Payer, PaymentDemand } from './http/create-caller.js';
export { isRefusal } from './http/read-response.js';
export { signGaslessSetup } from './sign/sign-gasless-setup.js';
export { signIntent } from './sign/sign-intent.js';
export { signSetup } from './sign/sign-setup.js';
export type { AgentSigner, EthersSigner } from './sign/signer.js';
export type { DiscoverRequest, PrepareRequest, SetupRelayRequest } from './types.js';
export {
  agentAddressBook,
  deriveDeployment,
  extendAddressBook,
  InvalidAddressBookError,
  localAddressBook,
  parseAddressBook,
  type AddressBook,
  type BookDeployment,
  type BookPaymaster,
  type BookToken,
} from './verify/address-book.js';
export type { Effect } from './verify/effects.js';
export {
  InvalidExpectationsError,
  type CallsExpectations,
  type EnvelopeExpectations,
  type ExpectedOperation,
  type GaslessSetupExpectations,
  type SetupExpectations,
} from './verify/expectations.js';
export type { GasLimits } from './verify/gas-limits.js';
export { accepted, VerificationError, type Refusal, type VerificationReason } from './verify/result.js';
export { verifyCalls, type CallsResult, type VerifiedCalls } from './verify/verify-calls.js';
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
