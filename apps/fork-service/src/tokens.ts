/** Injection tokens of what the composition builds outside NestJS. */
export const tokens = {
  desk: Symbol('desk'),
  rpc: Symbol('rpc'),
  health: Symbol('health'),
  metrics: Symbol('metrics'),
  credential: Symbol('credential'),
} as const;
