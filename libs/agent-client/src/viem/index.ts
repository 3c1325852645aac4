export { yieldVaultActions, type YieldVaultActionsParameters } from './actions.js';
export {
  executeCalls,
  type CallsAgent,
  type CallsOperation,
  type ExecutedCalls,
} from '../flow/execute-calls.js';
export {
  toYieldVaultSmartAccount,
  type YieldVaultSmartAccount,
  type YieldVaultSmartAccountParameters,
} from './smart-account.js';
export { usdcPaymaster } from './usdc-paymaster.js';
