import { SetMetadata } from '@nestjs/common';
import type { RouteGroup } from '../settings.js';

export const limitMetadata = 'yield-vault:limit';

/** Count the route against the limit of a group. */
export const Limit = (group: RouteGroup): MethodDecorator & ClassDecorator =>
  SetMetadata(limitMetadata, group);
