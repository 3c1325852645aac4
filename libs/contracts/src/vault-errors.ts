import { parseAbi } from 'viem';

/** Errors with which common vaults, their tokens and their markets reject a deposit or a redeem. */
export const vaultErrors = parseAbi([
  // Euler Vault Kit
  'error E_OperationDisabled()',
  'error E_SupplyCapExceeded()',
  'error E_ZeroShares()',
  'error E_InsufficientCash()',
  'error E_Unauthorized()',
  // MetaMorpho, and Euler Earn after it
  'error AllCapsReached()',
  'error NotEnoughLiquidity()',
  'error ZeroShares()',
  // Morpho Vault V2
  'error AbsoluteCapExceeded()',
  'error RelativeCapExceeded()',
  'error CannotReceiveShares()',
  'error CannotSendShares()',
  'error CannotReceiveAssets()',
  'error CannotSendAssets()',
  'error TransferFromReverted()',
  'error TransferReverted()',
  // Solady's vault
  'error DepositMoreThanMax()',
  'error RedeemMoreThanMax()',
  // Aave and Compound
  'error SupplyCapExceeded()',
  'error ReserveFrozen()',
  'error ReservePaused()',
  'error Paused()',
  // common to many
  'error DepositsPaused()',
  'error NotWhitelisted()',
  'error AccountNotWhitelisted(address account)',
  'error Unauthorized()',
]);
