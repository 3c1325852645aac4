export { capabilityProbeAbi, capabilityProbeDeployedBytecode } from './generated/CapabilityProbe.js';
export { chainedReadsAbi, chainedReadsBytecode } from './generated/ChainedReads.js';
export { entryPointV07Abi, entryPointV07Bytecode } from './generated/EntryPointV07.js';
export { entryPointV08Abi, entryPointV08Bytecode } from './generated/EntryPointV08.js';
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
export {
  usdcPaymasterV07Abi,
  usdcPaymasterV07Bytecode,
  usdcPaymasterV07DeployedBytecode,
} from './generated/UsdcPaymasterV07.js';
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
export {
  type Create2Deployment,
  type SuiteAddresses,
  type SuiteDeployments,
  type SuiteEntryPointVersion,
  type SuiteOptions,
  canonical,
  entryPointDeployment,
  localPaymasterOwner,
  paymasterAllowanceCap,
  suite,
  suiteAddresses,
  suiteDeployments,
} from './address-book.js';
export { decodeRevertReason } from './decode-revert-reason.js';
export {
  type DeploySuiteOptions,
  type DeploySuiteReport,
  type SuiteContract,
  deploySuite,
} from './deploy-suite.js';
export { Create2DeployerMissingError, SuiteDeploymentError, UnsupportedChainError } from './errors.js';
export {
  type ContractInspection,
  type InspectSuiteOptions,
  expectedCodeHashes,
  inspectSuite,
} from './inspect-suite.js';
export {
  type PaymasterCharge,
  type PaymasterRate,
  paymasterCharge,
  paymasterChargeV07,
  paymasterPostOpGas,
  postOpPenaltyThreshold,
} from './paymaster-cost.js';
