import * as chains from './index.js';

it('public surface', () => {
  expect(Object.keys(chains).sort()).toEqual([
    'BundlerRejection',
    'UpstreamFailure',
    'asReadFailure',
    'asReadRefusal',
    'asUpstreamError',
    'chainSchema',
    'classifyOperationSend',
    'classifyTransactionSend',
    'createActiveChains',
    'createCallGasCheck',
    'createCalls',
    'createChainProbe',
    'createContractCheck',
    'createJsonRpc',
    'createLogRange',
    'isExecutionRevert',
    'isMissingState',
    'isOutOfGas',
    'isRangeTooLarge',
    'isReadMethod',
    'paymasterAllowance',
    'probeCallGas',
    'readBlockPieces',
    'readFunds',
    'requireForks',
    'settings',
    'takesUsdc',
    'waitOrGiveUp',
  ]);
});
