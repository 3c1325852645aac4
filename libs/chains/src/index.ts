export {
  createActiveChains,
  walletChains,
  type ActiveChain,
  type ActiveChains,
  type WalletForks,
} from './active-chains.js';
export { asBundlerRejection } from './bundler/as-bundler-rejection.js';
export { BundlerRejection } from './bundler/bundler-rejection.js';
export {
  isNotHeld,
  type Bundler,
  type BundlerClient,
  type GasPrice,
  type SendOutcome,
  type UserOperationGas,
  type UserOperationReceipt,
  type UserOperationStatus,
} from './bundler/bundler.js';
export { chainSchema, type ChainConfig } from './config/chain-schema.js';
export type { PaymasterConfig } from './config/gas-schema.js';
export type { Immutable } from './config/immutable.js';
export * as settings from './config/scalars.js';
export { createContractCheck, type ContractCheck } from './contract-check.js';
export { createCallGasCheck, type CheckLog } from './check-call-gas.js';
export { isFinalBlock } from './is-final-block.js';
export { lacksArchive } from './lacks-archive.js';
export {
  largestAllowanceUsdc,
  paymasterAllowance,
  takesUsdc,
} from './paymaster-service/paymaster-allowance.js';
export type {
  PaymasterData,
  PaymasterService,
  PaymasterStubData,
  PaymasterTokenQuote,
} from './paymaster-service/paymaster-service.js';
export { createInFlightCalls, type InFlightCalls } from './poll/create-in-flight-calls.js';
export { createSharedWaits, waitLimitsSchema, type WaitLimits } from './poll/create-shared-waits.js';
export { waitOrGiveUp, type Pending, type Waiting } from './poll/wait-or-give-up.js';
export { probeCallGas, type CallGasProbe } from './probe-call-gas.js';
export { createChainProbe, probeBundler, probeNode, type ChainProbe } from './probe-chain.js';
export { asReadFailure, asUpstreamError, isReadRefusal, readFromNode } from './as-upstream-error.js';
export { paymasterFault, readFunds, type ChainFunds, type GasPayers } from './read-funds.js';
export { createJsonRpc, type JsonRpc } from './rpc/create-json-rpc.js';
export { createLogRange, type LogRange } from './rpc/log-range.js';
export { isReadMethod, type UpstreamObserver } from './rpc/guard-transport.js';
export { isExecutionRevert, isMissingState, isOutOfGas, revertDataOf } from './rpc/node-errors.js';
export { isRangeTooLarge, readBlockPieces, type BlockRange } from './rpc/read-block-range.js';
export { ResponseTooLongError, sendHttp, type HttpResponse } from './rpc/send-http.js';
export { UpstreamFailure } from './rpc/upstream-failure.js';
export { classifyOperationSend, classifyTransactionSend, type FailedSend } from './send-outcome.js';
