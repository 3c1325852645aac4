import { Controller, Get, Inject, UseGuards } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { DepositLimits } from '@yield-vault/execution-relay';
import { UpstreamUnavailableError, type Health, type Ready } from '@yield-vault/protocol';
import { ApiErrors, EmptyQueryGuard, OkResponse } from '@yield-vault/server';
import type { HealthMonitor } from './create-health-monitor.js';
import { Limit } from '../../http/limit.decorator.js';
import { Parts } from '../../parts.js';
import { tokens } from '../../tokens.js';
import { apiVersion } from '../../version.js';

@ApiTags('Service')
@Controller()
@Limit('none')
@UseGuards(EmptyQueryGuard)
export class HealthController {
  readonly #startedAt = performance.now();

  constructor(
    @Inject(tokens.health) private readonly health: HealthMonitor,
    @Inject(tokens.depositLimits) private readonly limits: Pick<DepositLimits, 'paused'>,
    private readonly parts: Parts,
  ) {}

  @Get('health')
  @ApiOperation({
    summary: 'Liveness',
    description: 'Responds at once, whatever is down, with the last result of the background probe.',
  })
  @OkResponse('Health', { description: 'The process lives; status says how well.' })
  @ApiErrors('service', 'INVALID_PARAMETERS')
  readHealth(): Health {
    const { status, freshness, chains } = this.health.read();
    const { environment, preflight, payments } = this.parts.settings;
    return {
      status,
      version: apiVersion,
      environment,
      uptimeSeconds: Math.floor((performance.now() - this.#startedAt) / 1000),
      preflightMode: preflight.mode,
      paymentEnforcement: payments.mode === 'off' ? 'off' : 'on',
      freshness,
      paused: this.limits.paused(),
      chains,
    };
  }

  @Get('health/ready')
  @ApiOperation({
    summary: 'Readiness',
    description:
      '200 while the database is up and at least one active chain serves: its vaults are ranked, and what wallets act ' +
      'on, the chain or its managed fork, and one of its bundlers respond. On a chain itself, its contracts must be ' +
      'deployed, and the deposit of our paymaster must cover an operation. A chain whose nodes lack the past, or that no ' +
      'worker follows, is not ready either; the server stays ready, because redeems go on.',
  })
  @OkResponse('Ready', { description: 'Ready for requests.' })
  @ApiErrors('service', 'INVALID_PARAMETERS', 'UPSTREAM_UNAVAILABLE')
  readReadiness(): Ready {
    const { ready, waitingFor, readiness } = this.health.read();
    if (ready) return { status: 'ready', chains: readiness };
    throw new UpstreamUnavailableError({
      detail: `Not ready: waiting for ${waitingFor.join(', ')}.`,
      details: { dependency: waitingFor[0] ?? 'unknown', waitingFor: [...waitingFor] },
      retryAfterSeconds: 1,
    });
  }
}
