export { createSimulator, type Simulator, type SimulatorOptions } from './create-simulator.js';
export { probeEndpoint } from './probe-endpoint.js';
export { simulateOnFork } from './simulate-user-operation.js';
export type { NewestBlock, UserOperationRequest, UserOperationSimulation } from './types.js';
