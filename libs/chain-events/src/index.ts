export { createChainEvents, type ChainEvents, type ChainEventsDependencies } from './create-chain-events.js';
export type { FollowOptions } from './create-follower.js';
export type { FollowedChain, VaultsPort } from './types.js';
