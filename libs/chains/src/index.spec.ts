import * as chains from './index.js';

it('public surface', () => {
  expect(Object.keys(chains).sort()).toEqual([
    'BundlerRejection',
    'DeploymentConfigError',
    'UpstreamFailure',
    'asUpstreamError',
    'createActiveChains',
    'isExecutionRevert',
    'isMissingState',
    'isOutOfGas',
    'isReadMethod',
    'parseDeployment',
    'paymasterAllowance',
    'probeCallGas',
    'probeChain',
    'takesUsdc',
    'waitOrGiveUp',
  ]);
});
