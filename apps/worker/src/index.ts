export { openDeploymentDatabase, openPositions, paymentChains } from './open-features.js';
export { metricPrefix, startWorker, type RunningWorker, type WorkerParts } from './start-worker.js';
