export { createActiveChains, type ActiveChain, type ActiveChains } from './active-chains.js';
export { asUpstreamError } from './as-upstream-error.js';
export { BundlerRejection } from './bundler/bundler-rejection.js';
export type {
  Bundler,
  GasPrice,
  KnownUserOperation,
  UserOperationGas,
  UserOperationReceipt,
} from './bundler/bundler.js';
export { DeploymentConfigError } from './config/deployment-config-error.js';
export { parseDeployment } from './config/parse-deployment.js';
export {
  environments,
  type ChainConfig,
  type Deployment,
  type Environment,
  type ForkBackend,
  type PaymasterConfig,
} from './deployment.js';
export { paymasterAllowance, takesUsdc } from './paymaster-service/paymaster-allowance.js';
export type {
  PaymasterData,
  PaymasterService,
  PaymasterStubData,
  PaymasterTokenQuote,
} from './paymaster-service/paymaster-service.js';
export { createCalls, type Calls } from './poll/create-calls.js';
export { waitOrGiveUp, type Pending, type Waiting } from './poll/wait-or-give-up.js';
export { probeCallGas, type CallGasProbe } from './probe-call-gas.js';
export { probeChain, type ChainProbe } from './probe-chain.js';
export { asReadFailure, asReadRefusal } from './rpc/as-read-refusal.js';
export { isExecutionRevert } from './rpc/is-execution-revert.js';
export { isMissingState } from './rpc/is-missing-state.js';
export { isOutOfGas } from './rpc/is-out-of-gas.js';
export { isReadMethod } from './rpc/is-read-method.js';
export { readBlockPieces, readBlockRange, type BlockRange } from './rpc/read-block-range.js';
export { UpstreamFailure } from './rpc/upstream-failure.js';
