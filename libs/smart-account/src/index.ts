export { encodeAccountBatch, type AccountCall } from './account-batch.js';
export { decodeAccountCall, encodeAccountCall } from './account-call.js';
export { delegationCode, parseDelegation } from './delegation.js';
export { CallDataNotAllowedError, MalformedHooksError, MalformedSignatureError } from './errors.js';
export type { ApprovePaymasterHook, DepositHook, ExecutorHook, RedeemHook } from './executor-hook.js';
export { decodeExecutorHooks, encodeExecutorHooks, maxHooks } from './executor-hooks.js';
export { encodeInitializeAccount, type InitializeAccountArgs } from './initialize-account.js';
export {
  decodeIntentSignature,
  encodeIntentSignature,
  stubIntentSignature,
  type IntentSignature,
} from './intent-signature.js';
export type { ModuleType } from './module-types.js';
export { nonceKey, splitNonce } from './nonce-key.js';
export { readInstalledModules, type InstalledModules } from './read-installed-modules.js';
export { readWalletState } from './read-wallet-state.js';
export { encodeUninstallModule } from './uninstall-module.js';
export {
  interpretWalletState,
  walletStateCalls,
  type SmartAccountContracts,
  type WalletReads,
  type WalletState,
} from './wallet-state.js';
