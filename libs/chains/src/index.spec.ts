import * as chains from './index.js';

it('public surface', () => {
  expect(Object.keys(chains).sort()).toEqual([
    'BundlerRejection',
    'UpstreamFailure',
    'asReadFailure',
    'asReadRefusal',
    'asUpstreamError',
    'chainSchema',
    'createActiveChains',
    'createCallGasCheck',
    'createCalls',
    'createContractCheck',
    'createJsonRpc',
    'isExecutionRevert',
    'isMissingState',
    'isOutOfGas',
    'isReadMethod',
    'paymasterAllowance',
    'probeCallGas',
    'probeChain',
    'readBlockPieces',
    'readBlockRange',
    'requireForks',
    'settings',
    'takesUsdc',
    'waitOrGiveUp',
  ]);
});
