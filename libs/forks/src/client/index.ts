export { createForkClient, type ForkClient, type ForkClientSettings } from './create-fork-client.js';
export { createForks, type Forks, type ForksDependencies } from './create-forks.js';
export type { TestingLimits } from './fund-wallet.js';
