import * as chains from './index.js';

it('public surface', () => {
  expect(Object.keys(chains).sort()).toEqual([
    'BundlerRejection',
    'DeploymentConfigError',
    'UpstreamFailure',
    'asReadFailure',
    'asReadRefusal',
    'asUpstreamError',
    'createActiveChains',
    'createCalls',
    'environments',
    'isExecutionRevert',
    'isMissingState',
    'isOutOfGas',
    'isReadMethod',
    'parseDeployment',
    'paymasterAllowance',
    'probeCallGas',
    'probeChain',
    'readBlockPieces',
    'readBlockRange',
    'takesUsdc',
    'waitOrGiveUp',
  ]);
});
