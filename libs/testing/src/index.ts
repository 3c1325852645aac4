export { buildIntentEnvelope, type IntentEnvelopeParts } from './build-intent-envelope.js';
export { buildListedVault } from './build-listed-vault.js';
export type { RunningServer } from './listen.js';
export { KilledError, mortal, type Life } from './mortal.js';
export { childProcesses, descendantProcesses, isRunning, untilEnded } from './processes.js';
export { signIntent } from './sign-intent.js';
export { startAnvil, type Anvil } from './start-anvil.js';
export { RpcFailure, startFakeRpc, type FakeRpc, type RpcFault, type RpcHandler } from './start-fake-rpc.js';
export { startRpcProxy, type RpcProxy, type RpcProxyFault } from './start-rpc-proxy.js';
export { startTcpProxy, type TcpProxy } from './start-tcp-proxy.js';
export type { TenderlyFault, TenderlyPart } from './tenderly/create-tenderly-faults.js';
export {
  startTenderlyEmulator,
  type EmulatorOptions,
  type TenderlyEmulator,
} from './tenderly/start-tenderly-emulator.js';
export { anvilKey, testAccount, testKey } from './test-accounts.js';
