import type { ExecutionContext } from '@nestjs/common';
import type { RouteGroup } from '../settings.js';

// A map, because reading decorator metadata takes longer, and every request does.
const groups = new Map<unknown, RouteGroup>();

/** Count the route against the limit of a group. */
export const Limit =
  (group: RouteGroup): MethodDecorator & ClassDecorator =>
  (target: object, _name?: string | symbol, descriptor?: PropertyDescriptor) =>
    void groups.set(descriptor?.value ?? target, group);

/** The group of a route, or of its controller. */
export const limitGroupOf = (context: ExecutionContext): RouteGroup | undefined =>
  groups.get(context.getHandler()) ?? groups.get(context.getClass());
