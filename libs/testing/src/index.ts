export { buildIntentEnvelope, signIntent, type IntentEnvelopeParts } from './build-intent-envelope.js';
export { buildRankedVault } from './build-ranked-vault.js';
export { listen, type RunningServer } from './listen.js';
export { KilledError, killable, type Life } from './killable.js';
export { childProcesses, descendantProcesses, isRunning, untilEnded } from './processes.js';
export { recordRequests, type SentRequest } from './record-requests.js';
export { startAnvil, type Anvil } from './start-anvil.js';
export {
  bundlerProfiles,
  imitateBundler,
  startFakeBundler,
  type BundlerProfile,
  type FakeBundler,
} from './start-fake-bundler.js';
export { RpcFailure, startFakeRpc, type FakeRpc, type RpcFault, type RpcHandler } from './start-fake-rpc.js';
export { startLogNode, type LogNode, type LogNodeState, type LogQuery } from './start-log-node.js';
export type { PaidOperation, ShareMove } from './simulated-logs.js';
export { providerProfiles, type ProviderName } from './provider-profiles.js';
export { startProviderProxy } from './start-provider-proxy.js';
export {
  startRpcProxy,
  type RpcProxy,
  type RpcProxyCall,
  type RpcProxyFault,
  type RpcProxyHook,
  type RpcProxyResponse,
} from './start-rpc-proxy.js';
export { startTcpProxy, type TcpProxy } from './start-tcp-proxy.js';
export { anvilKey, testAccount, testKey } from './test-accounts.js';
