import * as smartAccount from './index.js';

it('public surface', () => {
  expect(Object.keys(smartAccount).sort()).toEqual([
    'CallDataNotAllowedError',
    'MalformedHooksError',
    'MalformedSignatureError',
    'decodeAccountCall',
    'decodeExecutorHooks',
    'decodeIntentSignature',
    'decodePermitData',
    'delegationCode',
    'describeFault',
    'encodeAccountCall',
    'encodeExecutorHooks',
    'encodeInitializeAccount',
    'encodeIntentSignature',
    'encodePermitData',
    'findAuthorizationFault',
    'findPermitFault',
    'interpretWalletState',
    'maxHooks',
    'nonceKey',
    'parseDelegation',
    'parseOperationHooks',
    'readInstalledModules',
    'readRemovedDefaults',
    'readWalletState',
    'splitNonce',
    'stubIntentSignature',
    'usdcPermitTypedData',
    'walletStateCalls',
  ]);
});
