import * as deployment from './index.js';

it('public surface', () => {
  expect(Object.keys(deployment).sort()).toEqual([
    'deploymentSecrets',
    'describeStartFailure',
    'loadConfig',
    'loadDeployment',
    'parseDeployment',
    'parseLogLevel',
    'readVariable',
    'secretsOf',
  ]);
});
