import { Reflector } from '@nestjs/core';
import type { RouteGroup } from '../settings.js';

/** Count the route, or the routes of a controller, against the limit of a group: of `other` without this decorator. */
export const Limit = Reflector.createDecorator<RouteGroup | 'none'>();
