export { createSimulator, type Simulator, type SimulatorOptions } from './create-simulator.js';
export type { NewestBlock, UserOperationRequest, UserOperationSimulation } from './types.js';
