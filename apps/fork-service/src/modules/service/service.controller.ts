import { Controller, Get, Header, Inject, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { ForkHealth, ForkProvider } from '@yield-vault/forks';
import { ApiErrors, withTimeout, type HttpMetrics } from '@yield-vault/server';
import type { FastifyReply } from 'fastify';
import { Public } from '../../auth/credential.guard.js';
import { tokens } from '../../tokens.js';
import { serviceVersion } from '../../version.js';
import { HealthDto } from './health.dto.js';

// A liveness probe needs a response even while the forks hang.
const healthDeadlineMs = 2_000;
const unavailable: ForkHealth = { status: 'unavailable', activeForks: 0, maxForks: null, version: '' };

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
    const { version: backend, ...health } = await withTimeout(
      this.provider.health(),
      healthDeadlineMs,
      unavailable,
    );
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
