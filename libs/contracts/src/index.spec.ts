import * as surface from './index.js';

describe('public surface', () => {
  it('behavior: exports exactly these names', () => {
    expect(Object.keys(surface).sort()).toEqual([
      'Create2DeployerMissingError',
      'SuiteDeploymentError',
      'UnsupportedChainError',
      'canonical',
      'capabilityProbeAbi',
      'capabilityProbeDeployedBytecode',
      'chainedReadsAbi',
      'chainedReadsBytecode',
      'decodeRevertReason',
      'deploySuite',
      'entryPointDeployment',
      'entryPointV08Abi',
      'entryPointV08Bytecode',
      'expectedCodeHashes',
      'inspectSuite',
      'intentValidatorAbi',
      'intentValidatorBytecode',
      'intentValidatorDeployedBytecode',
      'localPaymasterOwner',
      'paymasterAllowanceCap',
      'paymasterCharge',
      'paymasterPostOpGas',
      'postOpPenaltyThreshold',
      'suite',
      'suiteAddresses',
      'suiteDeployments',
      'usdcPaymasterAbi',
      'usdcPaymasterBytecode',
      'usdcPaymasterDeployedBytecode',
      'yieldExecutorAbi',
      'yieldExecutorBytecode',
      'yieldExecutorDeployedBytecode',
      'yieldVaultAccountAbi',
      'yieldVaultAccountBytecode',
      'yieldVaultAccountDeployedBytecode',
    ]);
  });
});
