import { All, Controller } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { NotFoundError } from '@yield-vault/protocol';

/**
 * Responds where no route matches, so that guessing paths counts against a limit too. Fastify itself responds to a URL
 * that cannot be decoded, which has no limit.
 */
@ApiExcludeController()
@Controller()
export class NotFoundController {
  @All('*')
  refuse(): never {
    throw new NotFoundError({ detail: 'No route has this path and method.' });
  }
}
