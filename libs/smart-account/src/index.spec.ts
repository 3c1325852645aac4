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
    'encodeAccountCall',
    'encodeExecutorHooks',
    'encodeInitializeAccount',
    'encodeIntentSignature',
    'encodePermitData',
    'interpretWalletState',
    'maxHooks',
    'nonceKey',
    'parseDelegation',
    'parseOperationHooks',
    'readInstalledModules',
    'readWalletState',
    'splitNonce',
    'stubIntentSignature',
    'usdcPermitTypedData',
    'walletStateCalls',
  ]);
});
