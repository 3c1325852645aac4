export { yieldVaultActions, type YieldVaultActionsParameters } from './actions.js';
export {
  toYieldVaultSmartAccount,
  type YieldVaultSmartAccount,
  type YieldVaultSmartAccountParameters,
} from './smart-account.js';
export { usdcPaymaster } from './usdc-paymaster.js';
