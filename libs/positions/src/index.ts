export {
  createPositions,
  type Positions,
  type PositionsDependencies,
  type PositionsOptions,
} from './create-positions.js';
export type { PastLimits } from './past-job.js';
export type { CostsPort, FollowerPort, PositionsChain, StatusCall, VaultsPort } from './ports.js';
export { replayAverageCost } from './average-cost.js';
export type { AverageCost, PricedMovement, ShareMovement } from './types.js';
