import { All, Controller } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { NotFoundError } from '@yield-vault/protocol';
import { Public } from '../auth/public.decorator.js';

/** Answers what no route matches. */
@Public()
@ApiExcludeController()
@Controller()
export class NotFoundController {
  @All('*')
  refuse(): never {
    throw new NotFoundError({ detail: 'No route has this path and method.' });
  }
}
