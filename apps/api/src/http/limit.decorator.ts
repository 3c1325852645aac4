import { Reflector } from '@nestjs/core';
import type { RouteGroup } from '../settings.js';

/** Count a route, or the routes of a controller, against the limit of a group (`other` without it). `none`: no limit. */
export const Limit = Reflector.createDecorator<RouteGroup | 'none'>();
