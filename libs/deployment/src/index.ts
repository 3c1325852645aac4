export { environments, type Deployment, type Environment } from './deployment-schema.js';
export { deploymentSecrets, secretsOf } from './deployment-secrets.js';
export { describeStartFailure } from './describe-start-failure.js';
export {
  ConfigError,
  loadConfig,
  loadDeployment,
  parseLogLevel,
  type Config,
  type LogLevel,
} from './load-config.js';
export { DeploymentConfigError, parseDeployment } from './parse-deployment.js';
