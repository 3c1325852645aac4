export { localAsyncVaultAbi, localAsyncVaultBytecode } from '../generated/LocalAsyncVault.js';
export { localCappedVaultAbi, localCappedVaultBytecode } from '../generated/LocalCappedVault.js';
export {
  localCirclePaymasterAbi,
  localCirclePaymasterDeployedBytecode,
} from '../generated/LocalCirclePaymaster.js';
export { localExitFeeVaultAbi, localExitFeeVaultBytecode } from '../generated/LocalExitFeeVault.js';
export { localFeeTokenAbi, localFeeTokenBytecode } from '../generated/LocalFeeToken.js';
export { localGapVaultAbi, localGapVaultBytecode } from '../generated/LocalGapVault.js';
export { localGasBombVaultAbi, localGasBombVaultBytecode } from '../generated/LocalGasBombVault.js';
export { localDifficultVaultAbi, localDifficultVaultBytecode } from '../generated/LocalDifficultVault.js';
export { localLendingVaultAbi, localLendingVaultBytecode } from '../generated/LocalLendingVault.js';
export { localMinimumVaultAbi, localMinimumVaultBytecode } from '../generated/LocalMinimumVault.js';
export { localMulticall3Abi, localMulticall3DeployedBytecode } from '../generated/LocalMulticall3.js';
export { localPausableVaultAbi, localPausableVaultBytecode } from '../generated/LocalPausableVault.js';
export { localPriceFeedAbi, localPriceFeedDeployedBytecode } from '../generated/LocalPriceFeed.js';
export {
  localServicePaymasterAbi,
  localServicePaymasterBytecode,
} from '../generated/LocalServicePaymaster.js';
export { localUsdcAbi, localUsdcDeployedBytecode } from '../generated/LocalUsdc.js';
export { localVaultAbi, localVaultBytecode } from '../generated/LocalVault.js';
export { localWethAbi, localWethDeployedBytecode } from '../generated/LocalWeth.js';
export { localWhitelistVaultAbi, localWhitelistVaultBytecode } from '../generated/LocalWhitelistVault.js';
export { localZeroLimitVaultAbi, localZeroLimitVaultBytecode } from '../generated/LocalZeroLimitVault.js';
export { donateToVault, realiseLoss, setPaused, setRoom } from './act-on-vault.js';
export {
  callAsOperator,
  createChainClient,
  fractionOfAssets,
  request,
  sendAsOperator,
  type ChainClient,
} from './chain-client.js';
export { createDifficultVaults, type DifficultVaults, type VaultSwitch } from './create-difficult-vaults.js';
export {
  localAddresses,
  localAssets,
  localChainIds,
  localOperator,
  localPrices,
  type LocalAddresses,
  type LocalAssetSymbol,
  type LocalChainId,
} from './local-chain.js';
export { localRegistry, type LocalRegistryEntry } from './local-registry.js';
export {
  localAssetAddress,
  localVaultDeployment,
  localVaults,
  type LocalVaultDefinition,
  type LocalVaultFacts,
  type LocalVaultKind,
} from './local-vaults.js';
export { setLocalUsdcBalance, type LocalNode } from './local-node.js';
export {
  deployLocalServicePaymaster,
  localCircleTerms,
  placeLocalCirclePaymaster,
  signLocalServicePaymaster,
  type LocalServiceApproval,
} from './local-paymasters.js';
export {
  localDepositor,
  placeLocalContracts,
  provisionLocalChain,
  ratePerSecond,
} from './provision-local-chain.js';
