import * as smartAccount from './index.js';

it('public surface', () => {
  expect(Object.keys(smartAccount).sort()).toEqual([
    'CallDataNotAllowedError',
    'MalformedHooksError',
    'MalformedSignatureError',
    'decodeAccountCall',
    'decodeExecutorHooks',
    'decodeIntentSignature',
    'delegationCode',
    'encodeAccountBatch',
    'encodeAccountCall',
    'encodeExecutorHooks',
    'encodeInitializeAccount',
    'encodeIntentSignature',
    'encodeUninstallModule',
    'interpretWalletState',
    'maxHooks',
    'nonceKey',
    'parseDelegation',
    'readInstalledModules',
    'readWalletState',
    'splitNonce',
    'stubIntentSignature',
    'walletStateCalls',
  ]);
});
