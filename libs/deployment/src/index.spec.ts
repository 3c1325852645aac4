import * as deployment from './index.js';

it('public surface', () => {
  expect(Object.keys(deployment).sort()).toEqual([
    'ConfigError',
    'DeploymentConfigError',
    'deploymentSecrets',
    'describeStartFailure',
    'environments',
    'loadConfig',
    'loadDeployment',
    'parseDeployment',
    'parseLogLevel',
    'secretsOf',
  ]);
});
