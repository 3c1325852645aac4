import { Controller, Header, HttpCode, Post, Req } from '@nestjs/common';
import { Limit } from '@yield-vault/api';
import type { FastifyRequest } from 'fastify';
import { barePath, queries } from './queries.js';

/** Answers by path, made before anything is measured. */
export const preparedResponses = new Map<string, Buffer>();

/**
 * The ceiling: the time of a request that the server neither validates nor handles. Hooks, body
 * parser, guards, interceptor and log line are the same as for discover.
 */
@Controller()
export class BareController {
  @Post(queries.map((_, index) => barePath(index)))
  @HttpCode(200)
  @Header('content-type', 'application/json; charset=utf-8')
  @Limit('discover')
  response(@Req() { url }: FastifyRequest): Buffer | undefined {
    return preparedResponses.get(url);
  }
}
