import { Controller, Header, HttpCode, Post, Req } from '@nestjs/common';
import { Limit } from '@yield-vault/api';
import type { FastifyRequest } from 'fastify';
import { barePath, queries } from './queries.js';

/** Answers by path, made before anything is measured. */
export const preparedAnswers = new Map<string, Buffer>();

/**
 * The ceiling: what the server takes for a request that it neither validates nor answers by itself. Hooks, body
 * parser, guards, interceptor and log line are those of discover.
 */
@Controller()
export class BareController {
  @Post(queries.map((_, index) => barePath(index)))
  @HttpCode(200)
  @Header('content-type', 'application/json; charset=utf-8')
  @Limit('discover')
  answer(@Req() { url }: FastifyRequest): Buffer | undefined {
    return preparedAnswers.get(url);
  }
}
