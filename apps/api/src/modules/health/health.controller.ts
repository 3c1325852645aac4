import { Controller, Get, Inject, UseGuards } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { UpstreamUnavailableError } from '@yield-vault/protocol';
import { ApiErrors, EmptyQueryGuard } from '@yield-vault/server';
import type { HealthMonitor } from './create-health-monitor.js';
import type { ServerSettings } from '../../settings.js';
import { tokens } from '../../tokens.js';
import { apiVersion } from '../../version.js';
import { ChainHealthDto, HealthDto, ReadyDto } from './health.dto.js';

@ApiTags('Service')
@ApiExtraModels(ChainHealthDto)
@Controller()
@UseGuards(EmptyQueryGuard)
export class HealthController {
  readonly #startedAt = performance.now();

  constructor(
    @Inject(tokens.health) private readonly health: HealthMonitor,
    @Inject(tokens.settings) private readonly settings: ServerSettings,
  ) {}

  @Get('health')
  @ApiOperation({
    summary: 'Liveness',
    description: 'Answers at once, whatever is down, with what the background probe last found.',
  })
  @ApiOkResponse({ type: HealthDto, description: 'The process lives; status says how well.' })
  @ApiErrors('service', 'INVALID_PARAMETERS')
  readHealth(): HealthDto {
    const { status, freshness, chains } = this.health.read();
    return {
      status,
      version: apiVersion,
      environment: this.settings.environment,
      uptimeSeconds: Math.floor((performance.now() - this.#startedAt) / 1000),
      preflightMode: this.settings.preflight.mode,
      paymentEnforcement: this.settings.payments.mode === 'off' ? 'off' : 'on',
      freshness,
      chains,
    };
  }

  @Get('health/ready')
  @ApiOperation({
    summary: 'Readiness',
    description:
      '200 once the database is up and every active chain is ranked, and once what wallets act on, the chain or its ' +
      'managed fork, and its bundler respond. On a chain itself, its contracts have to be deployed as well.',
  })
  @ApiOkResponse({ type: ReadyDto, description: 'Ready for requests.' })
  @ApiErrors('service', 'INVALID_PARAMETERS', 'UPSTREAM_UNAVAILABLE')
  readReadiness(): ReadyDto {
    const { ready, waitingFor } = this.health.read();
    if (ready) return { status: 'ready' };
    throw new UpstreamUnavailableError({
      detail: `Not ready: waiting for ${waitingFor.join(', ')}.`,
      details: { dependency: waitingFor[0] ?? 'unknown', waitingFor: [...waitingFor] },
      retryAfterSeconds: 1,
    });
  }
}
