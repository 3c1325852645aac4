export { capabilityProbeAbi, capabilityProbeDeployedBytecode } from './generated/CapabilityProbe.js';
export { chainedReadsAbi, chainedReadsBytecode } from './generated/ChainedReads.js';
export { entryPointV08Abi, entryPointV08Bytecode } from './generated/EntryPointV08.js';
export { exitProbeAbi, exitProbeDeployedBytecode } from './generated/ExitProbe.js';
export {
  intentValidatorAbi,
  intentValidatorBytecode,
  intentValidatorDeployedBytecode,
} from './generated/IntentValidator.js';
export {
  usdcPaymasterAbi,
  usdcPaymasterBytecode,
  usdcPaymasterDeployedBytecode,
} from './generated/UsdcPaymaster.js';
export { validationProbeAbi, validationProbeDeployedBytecode } from './generated/ValidationProbe.js';
export {
  yieldExecutorAbi,
  yieldExecutorBytecode,
  yieldExecutorDeployedBytecode,
} from './generated/YieldExecutor.js';
export {
  yieldVaultAccountAbi,
  yieldVaultAccountBytecode,
  yieldVaultAccountDeployedBytecode,
} from './generated/YieldVaultAccount.js';
export { yieldRouterAbi, yieldRouterBytecode, yieldRouterDeployedBytecode } from './generated/YieldRouter.js';
export {
  type Create2Deployment,
  type ContractAddresses,
  type PaymasterRoles,
  canonical,
  entryPointDeployment,
  localPaymasterOwner,
  localContracts,
  contractAddresses,
  paymasterDeployment,
  walletContracts,
  walletDeployments,
} from './address-book.js';
export type { ChainFacts, PriceFeedFacts, TokenFacts } from './chains/chain-facts.js';
export { chainFacts, findChainFacts, knownChains, usdcDomain } from './chains/chains.js';
export { decodeRevertReason } from './decode-revert-reason.js';
export {
  type DeployContractsOptions,
  type DeployContractsReport,
  type ContractName,
  deployContracts,
} from './deploy-contracts.js';
export {
  Create2DeployerMissingError,
  ContractDeploymentError,
  KnownKeyError,
  UnsupportedChainError,
} from './errors.js';
export {
  type ContractInspection,
  type InspectContractsOptions,
  expectedCodeHashes,
  inspectContracts,
} from './inspect-contracts.js';
export { hasKnownKey } from './known-keys.js';
export {
  type PaymasterCharge,
  type PaymasterRate,
  paymasterCharge,
  paymasterPostOpGas,
  paymasterRefreshGas,
  postOpPenaltyThreshold,
} from './paymaster-cost.js';
export { sponsoredEvents } from './paymaster-events.js';
export {
  paymasterTermsSlot,
  priceLifeSeconds,
  updatePaymasterPrice,
  withoutPriceExpiry,
} from './paymaster-price.js';
export { quoteReason, readable } from './readable.js';
