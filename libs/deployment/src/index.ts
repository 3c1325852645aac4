export type { Deployment } from './deployment-schema.js';
export { deploymentSecrets, secretsOf } from './deployment-secrets.js';
export { describeStartFailure } from './describe-start-failure.js';
export { readVariable } from './interpolate.js';
export { loadConfig, loadDeployment, parseLogLevel, type Config, type LogLevel } from './load-config.js';
export { parseDeployment } from './parse-deployment.js';
