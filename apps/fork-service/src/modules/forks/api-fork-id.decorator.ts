import { ApiParam } from '@nestjs/swagger';
import { examples } from '../../openapi/examples.js';

/** Describe the fork id in the path. */
export const ApiForkId = () =>
  ApiParam({
    name: 'id',
    description: 'Id of the fork. Behind a balancer it starts with the name of the instance that holds it.',
    schema: { type: 'string' },
    example: examples.forkId,
  });
