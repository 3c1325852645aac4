import { Reflector } from '@nestjs/core';
import type { RouteGroup } from '../settings.js';

/** Count a route, or the routes of a controller, against the limit of a group (`other` without it). `none`: no limit. */
export const Limit = Reflector.createDecorator<RouteGroup | 'none'>();

/** The array of a body whose items count. */
export interface ItemWeight {
  readonly field: string;
  readonly most: number;
}

/** Count a route once for each item of an array in its body. A body without it, or with too many items, counts once. */
export const Weight = Reflector.createDecorator<ItemWeight>();
