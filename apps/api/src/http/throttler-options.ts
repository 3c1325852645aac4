import type { ExecutionContext } from '@nestjs/common';
import type { ThrottlerModuleOptions, ThrottlerStorage } from '@nestjs/throttler';
import type { RouteGroup, ServerSettings } from '../settings.js';
import { windowSeconds } from './create-limiter-storage.js';
import { limitMetadata } from './limit.decorator.js';

const groupOf = (context: ExecutionContext): RouteGroup =>
  (Reflect.getMetadata(limitMetadata, context.getHandler()) ??
    Reflect.getMetadata(limitMetadata, context.getClass()) ??
    'other') as RouteGroup;

/** One limit for each route group, from the deployment. */
export function throttlerOptions(
  { perMinute }: ServerSettings['rateLimits'],
  storage: ThrottlerStorage,
): ThrottlerModuleOptions {
  return {
    storage,
    throttlers: [{ ttl: windowSeconds * 1000, limit: (context) => perMinute[groupOf(context)] }],
  };
}
