export { openDeploymentDatabase, openPositions, paymentChains } from './open-features.js';
export { measureIntents } from './measure-intents.js';
export { metricPrefix } from './metric-prefix.js';
export { openChainEvents } from './open-chain-events.js';
export { startWorker, type RunningWorker, type WorkerParts } from './start-worker.js';
