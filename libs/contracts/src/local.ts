export { localAsyncVaultAbi, localAsyncVaultBytecode } from './generated/LocalAsyncVault.js';
export { localCappedVaultAbi, localCappedVaultBytecode } from './generated/LocalCappedVault.js';
export { localExitFeeVaultAbi, localExitFeeVaultBytecode } from './generated/LocalExitFeeVault.js';
export { localFeeTokenAbi, localFeeTokenBytecode } from './generated/LocalFeeToken.js';
export { localGapVaultAbi, localGapVaultBytecode } from './generated/LocalGapVault.js';
export { localGasBombVaultAbi, localGasBombVaultBytecode } from './generated/LocalGasBombVault.js';
export { localHazardVaultAbi, localHazardVaultBytecode } from './generated/LocalHazardVault.js';
export { localMinimumVaultAbi, localMinimumVaultBytecode } from './generated/LocalMinimumVault.js';
export { localMulticall3Abi, localMulticall3DeployedBytecode } from './generated/LocalMulticall3.js';
export { localPausableVaultAbi, localPausableVaultBytecode } from './generated/LocalPausableVault.js';
export { localPriceFeedAbi, localPriceFeedDeployedBytecode } from './generated/LocalPriceFeed.js';
export { localUsdcAbi, localUsdcDeployedBytecode } from './generated/LocalUsdc.js';
export { localVaultAbi, localVaultBytecode } from './generated/LocalVault.js';
export { localWethAbi, localWethDeployedBytecode } from './generated/LocalWeth.js';
export { localWhitelistVaultAbi, localWhitelistVaultBytecode } from './generated/LocalWhitelistVault.js';
export { localZeroLimitVaultAbi, localZeroLimitVaultBytecode } from './generated/LocalZeroLimitVault.js';
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
export { localDepositor, provisionLocalChain, type LocalNode } from './local/provision-local-chain.js';
export { ratePerSecond } from './local/rate-per-second.js';
