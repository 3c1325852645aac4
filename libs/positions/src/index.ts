export {
  createPositions,
  type Positions,
  type PositionsDependencies,
  type PositionsOptions,
} from './create-positions.js';
export type { PositionsChain, VaultsPort } from './ports.js';
export { replayAverageCost } from './average-cost.js';
export type { AverageCost, MovementKind, PricedMovement, ShareMovement } from './types.js';
