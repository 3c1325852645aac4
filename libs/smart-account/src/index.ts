export { decodeAccountCall, encodeAccountCall, nonceKey, splitNonce } from './account-call.js';
export { CallDataNotAllowedError, MalformedHooksError, MalformedSignatureError } from './errors.js';
export { eventTopics } from './events/event-topics.js';
export {
  byPlace,
  parseShareMovements,
  type EventPlace,
  type MovementKind,
  type WalletMovement,
} from './events/share-movements.js';
export {
  parseUserOperations,
  type OperationContracts,
  type OperationEvent,
} from './events/user-operations.js';
export type { ApproveHook, DepositHook, ExecutorHook, RedeemHook } from './executor-hook.js';
export { decodeGasGrant, encodeGasGrant, type GasGrant } from './gas-grant.js';
export { decodeExecutorHooks, encodeExecutorHooks, maxHooks } from './executor-hooks.js';
export {
  decodeIntentSignature,
  encodeIntentSignature,
  stubIntentSignature,
  type IntentSignature,
} from './intent-signature.js';
export {
  parseOperationHooks,
  type OperationHooks,
  type VaultHook,
  type VaultHooks,
} from './operation-hooks.js';
export {
  readInstalledModules,
  readRemovedDefaults,
  type InstalledModules,
} from './read-installed-modules.js';
export {
  decodeRouterCall,
  encodeRouterCalls,
  type RouterCall,
  type RouterOperation,
} from './router-calls.js';
export {
  describeFault,
  findAuthorizationFault,
  findPermitFault,
  type ExpectedAuthorization,
  type SignatureFault,
} from './setup-signatures.js';
export {
  decodePermitData,
  encodePermitData,
  usdcPermitAbi,
  usdcPermitTypedData,
  type PermitData,
  type UsdcPermit,
} from './usdc-permit.js';
export {
  decodeInitializeAndApprove,
  encodeInitializeAccount,
  encodeInitializeAndApprove,
  encodeWalletCalls,
  type ModuleType,
  type WalletCall,
} from './wallet-calls.js';
export {
  delegationCode,
  interpretWalletState,
  parseDelegation,
  readWalletState,
  walletStateCalls,
  type SmartAccountContracts,
  type WalletReads,
  type WalletState,
} from './wallet-state.js';
