import { Controller, Get, Header, Res, UseGuards } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiErrors, EmptyQueryGuard } from '@yield-vault/server';
import type { FastifyReply } from 'fastify';
import { Limit } from '../../http/limit.decorator.js';
import { Parts } from '../../parts.js';

/** Metrics on the port of the API: in the local environment alone. Elsewhere they have a port of their own. */
@ApiTags('Service')
@Controller()
@Limit('none')
@UseGuards(EmptyQueryGuard)
export class MetricsController {
  constructor(private readonly parts: Parts) {}

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
    const { registry } = this.parts.metrics;
    void reply.type(registry.contentType);
    return registry.metrics();
  }
}
