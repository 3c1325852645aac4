export { donateToVault, realiseLoss, setPaused, setRoom } from './act-on-vault.js';
export { activeBase } from './active-base.js';
export { createHazards, type HazardSwitch, type Hazards } from './create-hazards.js';
export type { AppProcess } from './deployment/start-app.js';
export { startForkService, type ForkServiceProcess } from './deployment/start-fork-service.js';
export { startServer, type ForkServiceAccess, type ServerProcess } from './deployment/start-server.js';
export { depositThroughBundler, type OperationReceipt } from './deposit-through-bundler.js';
export { PortTakenError } from './errors.js';
export { fundWallet, type Funding } from './fund-wallet.js';
export { setUpWallet } from './set-up-wallet.js';
export { startDevnet } from './start-devnet.js';
export { bundlerAccounts, facilitatorKey } from './steps/bundler-accounts.js';
export { startBundler, type BundlerProcess } from './steps/start-bundler.js';
export {
  devnetChainIds,
  type Devnet,
  type DevnetChain,
  type DevnetChainKey,
  type DevnetGas,
  type DevnetOptions,
  type DevnetPaymaster,
  type DevnetPorts,
  type RelayMode,
} from './types.js';
