export { createDatabaseScanStore } from './adapters/database-scan-store.js';
export {
  createPositions,
  type Positions,
  type PositionsDependencies,
  type PositionsOptions,
} from './create-positions.js';
export type { PastLimits } from './past-reader.js';
export type {
  FinalBlock,
  Findings,
  GasPayment,
  PositionsChain,
  Scan,
  ScanProgress,
  ScanStore,
  VaultMovement,
  VaultsPort,
  WalletKey,
} from './ports.js';
export { replayAverageCost } from './average-cost.js';
export type { AverageCost, MovementKind, PricedMovement, ShareMovement } from './types.js';
