import * as delegation from './delegation/index.js';
import * as agentClient from './index.js';
import * as viem from './viem/index.js';
import * as x402 from './x402.js';

it('public surface', () => {
  expect(Object.keys(agentClient).sort()).toEqual([
    'ApiError',
    'CallsFailedError',
    'CallsPendingError',
    'FlowError',
    'IntentFailedError',
    'IntentPendingError',
    'InvalidAddressBookError',
    'InvalidExpectationsError',
    'MalformedResponseError',
    'NodeFailedError',
    'ServiceUnreachableError',
    'SetupPendingError',
    'UnknownModulesError',
    'UnsupportedSignerError',
    'VerificationError',
    'accepted',
    'agentAddressBook',
    'createAgentClient',
    'deriveDeployment',
    'describeEnvelope',
    'describeEvent',
    'execute',
    'extendAddressBook',
    'findToken',
    'isRefusal',
    'localAddressBook',
    'narrowToTarget',
    'parseAddressBook',
    'prepareFields',
    'resolveIntent',
    'run',
    'signGaslessSetup',
    'signIntent',
    'signSetup',
    'verifyCalls',
    'verifyEnvelope',
    'verifyGaslessSetup',
    'verifyGaslessSetupWithNode',
    'verifySetup',
    'verifySetupWithNode',
    'verifyWithNode',
  ]);
  expect(Object.keys(delegation).sort()).toEqual([
    'TransactionInFlightError',
    'UnknownChainError',
    'UnknownDelegationError',
    'describeDelegation',
    'prepareIntentsRevocation',
    'prepareRevocation',
    'requireKnownModules',
    'revokeDelegation',
    'revokeIntents',
  ]);
  expect(Object.keys(viem).sort()).toEqual([
    'executeCalls',
    'toYieldVaultSmartAccount',
    'usdcPaymaster',
    'yieldVaultActions',
  ]);
  expect(Object.keys(x402)).toEqual(['createPayer']);
});
