import * as local from './local.js';

describe('public surface of the sub-entry local', () => {
  it('default: exports exactly these names', () => {
    expect(Object.keys(local).sort()).toEqual([
      'localAddresses',
      'localAssetAddress',
      'localAssets',
      'localCappedVaultAbi',
      'localCappedVaultBytecode',
      'localChainIds',
      'localDepositor',
      'localExitFeeVaultAbi',
      'localExitFeeVaultBytecode',
      'localMulticall3Abi',
      'localMulticall3DeployedBytecode',
      'localOperator',
      'localPausableVaultAbi',
      'localPausableVaultBytecode',
      'localPriceFeedAbi',
      'localPriceFeedDeployedBytecode',
      'localPrices',
      'localRegistry',
      'localUsdcAbi',
      'localUsdcDeployedBytecode',
      'localVaultAbi',
      'localVaultAddress',
      'localVaultBytecode',
      'localVaultDeployment',
      'localVaults',
      'localWethAbi',
      'localWethDeployedBytecode',
      'localZeroLimitVaultAbi',
      'localZeroLimitVaultBytecode',
      'provisionLocalChain',
      'ratePerSecond',
    ]);
  });
});
