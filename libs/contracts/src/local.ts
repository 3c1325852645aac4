export { localAsyncVaultAbi, localAsyncVaultBytecode } from './generated/LocalAsyncVault.js';
export { localCappedVaultAbi, localCappedVaultBytecode } from './generated/LocalCappedVault.js';
export {
  localCirclePaymasterAbi,
  localCirclePaymasterDeployedBytecode,
} from './generated/LocalCirclePaymaster.js';
export { localExitFeeVaultAbi, localExitFeeVaultBytecode } from './generated/LocalExitFeeVault.js';
export { localFeeTokenAbi, localFeeTokenBytecode } from './generated/LocalFeeToken.js';
export { localGapVaultAbi, localGapVaultBytecode } from './generated/LocalGapVault.js';
export { localGasBombVaultAbi, localGasBombVaultBytecode } from './generated/LocalGasBombVault.js';
export { localHazardVaultAbi, localHazardVaultBytecode } from './generated/LocalHazardVault.js';
export { localMinimumVaultAbi, localMinimumVaultBytecode } from './generated/LocalMinimumVault.js';
export { localMulticall3Abi, localMulticall3DeployedBytecode } from './generated/LocalMulticall3.js';
export { localPausableVaultAbi, localPausableVaultBytecode } from './generated/LocalPausableVault.js';
export { localPriceFeedAbi, localPriceFeedDeployedBytecode } from './generated/LocalPriceFeed.js';
export {
  localServicePaymasterAbi,
  localServicePaymasterBytecode,
} from './generated/LocalServicePaymaster.js';
export { localUsdcAbi, localUsdcDeployedBytecode } from './generated/LocalUsdc.js';
export { localVaultAbi, localVaultBytecode } from './generated/LocalVault.js';
export { localWethAbi, localWethDeployedBytecode } from './generated/LocalWeth.js';
export { localWhitelistVaultAbi, localWhitelistVaultBytecode } from './generated/LocalWhitelistVault.js';
export { localZeroLimitVaultAbi, localZeroLimitVaultBytecode } from './generated/LocalZeroLimitVault.js';
export { deployLocalServicePaymaster } from './local/deploy-local-service-paymaster.js';
export {
  localAddresses,
  localAssets,
  localChainIds,
  localOperator,
  localPrices,
  type LocalAddresses,
  type LocalAssetSymbol,
  type LocalChainId,
} from './local/local-chain.js';
export { localRegistry, type LocalRegistryEntry } from './local/local-registry.js';
export { localAssetAddress, localVaultAddress, localVaultDeployment } from './local/local-vault-creation.js';
export type { LocalVaultDefinition, LocalVaultFacts, LocalVaultKind } from './local/local-vault.js';
export { localVaults } from './local/local-vaults.js';
export type { LocalNode } from './local/local-node.js';
export { localCircleTerms, placeLocalCirclePaymaster } from './local/place-local-circle-paymaster.js';
export { placeLocalContracts } from './local/place-local-contracts.js';
export { localDepositor, provisionLocalChain } from './local/provision-local-chain.js';
export { ratePerSecond } from './local/rate-per-second.js';
export { setLocalUsdcBalance } from './local/set-local-usdc-balance.js';
export {
  signLocalServicePaymaster,
  type LocalServiceApproval,
} from './local/sign-local-service-paymaster.js';
