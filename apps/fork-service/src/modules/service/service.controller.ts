import { Controller, Get, Header, Inject, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { ForkProvider } from '@yield-vault/forks';
import { ApiErrors, type HttpMetrics } from '@yield-vault/server';
import type { FastifyReply } from 'fastify';
import { Public } from '../../auth/credential.guard.js';
import { readHealth } from './read-health.js';
import { tokens } from '../../tokens.js';
import { serviceVersion } from '../../version.js';
import { HealthDto } from './health.dto.js';

@ApiTags('Service')
@Controller()
export class ServiceController {
  constructor(
    @Inject(tokens.health) private readonly provider: Pick<ForkProvider, 'health'>,
    @Inject(tokens.metrics) private readonly metrics: HttpMetrics,
  ) {}

  @Get('health')
  @Public()
  @Header('cache-control', 'no-store')
  @ApiOperation({
    summary: 'Liveness',
    description: 'Always 200 while the process lives. The field status has the details.',
  })
  @ApiOkResponse({ type: HealthDto, description: 'The process lives.' })
  @ApiErrors('service')
  async readHealth(): Promise<HealthDto> {
    const { version: backend, ...health } = await readHealth(this.provider);
    return { ...health, version: `fork-service/v${serviceVersion}`, backend };
  }

  @Get('metrics')
  @ApiBearerAuth()
  @Header('cache-control', 'no-store')
  @ApiOperation({ summary: 'Metrics', description: 'Prometheus text.' })
  @ApiOkResponse({
    description: 'Prometheus text exposition.',
    content: { 'text/plain': { schema: { type: 'string' } } },
  })
  @ApiErrors('operator')
  async readMetrics(@Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    void reply.type(this.metrics.registry.contentType);
    return this.metrics.registry.metrics();
  }
}
