import { Controller, Get, Header, Inject, Res, UseGuards } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiErrors, EmptyQueryGuard, type HttpMetrics } from '@yield-vault/server';
import type { FastifyReply } from 'fastify';
import { tokens } from '../../tokens.js';

/** Metrics on the port of the API: in the local environment alone. Elsewhere they have a port of their own. */
@ApiTags('Service')
@Controller()
@UseGuards(EmptyQueryGuard)
export class MetricsController {
  constructor(@Inject(tokens.metrics) private readonly metrics: HttpMetrics) {}

  @Get('metrics')
  @ApiOperation({
    summary: 'Metrics',
    description: 'Prometheus text. Only local deployments serve it here; others use a port of its own.',
  })
  @ApiOkResponse({
    description: 'Prometheus text exposition.',
    content: { 'text/plain': { schema: { type: 'string' } } },
  })
  @ApiErrors('service', 'INVALID_PARAMETERS')
  @Header('cache-control', 'no-store')
  async readMetrics(@Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    void reply.type(this.metrics.registry.contentType);
    return this.metrics.registry.metrics();
  }
}
