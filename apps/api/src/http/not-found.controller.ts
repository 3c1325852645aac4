import { All, Controller } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { NotFoundError } from '@yield-vault/protocol';
import { Limit } from '../http/limit.decorator.js';

/** Responds where no route matches, so that guessing paths counts against a limit too. */
@ApiExcludeController()
@Controller()
export class NotFoundController {
  @All('*')
  @Limit('other')
  refuse(): never {
    throw new NotFoundError({ detail: 'No route has this path and method.' });
  }
}
