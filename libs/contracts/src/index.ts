export { capabilityProbeAbi, capabilityProbeDeployedBytecode } from './generated/CapabilityProbe.js';
export { chainedReadsAbi, chainedReadsBytecode } from './generated/ChainedReads.js';
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
export { type ContractInspection, expectedCodeHashes, inspectSuite } from './inspect-suite.js';
export {
  type PaymasterCharge,
  type PaymasterRate,
  paymasterCharge,
  paymasterPostOpGas,
  postOpPenaltyThreshold,
} from './paymaster-cost.js';
