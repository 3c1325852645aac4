export { activeBase } from './active-base.js';
export { startForkService } from './deployment/start-fork-service.js';
export { chainVariables, startApp } from './deployment/start-app.js';
export { startServer } from './deployment/start-server.js';
export { depositThroughBundler, runThroughBundler } from './deposit-through-bundler.js';
export { fundWallet, type Funding } from './fund-wallet.js';
export { setUpWallet } from './set-up-wallet.js';
export { startDevnet } from './start-devnet.js';
export { bundlerAccounts, facilitatorKey } from './steps/bundler-accounts.js';
export { PortTakenError } from './steps/choose-ports.js';
export { startBundler, type BundlerProcess } from './steps/start-bundler.js';
export {
  type AppProcess,
  type Devnet,
  type DevnetChain,
  type DevnetChainKey,
  type DevnetGas,
  type DevnetOptions,
  type DevnetPaymaster,
  type DevnetPorts,
  type ForkServiceAccess,
  type ForkServiceProcess,
  type RelayMode,
} from './types.js';
