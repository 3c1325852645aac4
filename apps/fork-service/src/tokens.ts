/** Injection tokens of values that are built before NestJS. */
export const tokens = {
  registry: Symbol('registry'),
  rpc: Symbol('rpc'),
  health: Symbol('health'),
  metrics: Symbol('metrics'),
  credential: Symbol('credential'),
} as const;
