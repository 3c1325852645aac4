import { Controller, Get, Inject, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { UpstreamUnavailableError } from '@yield-vault/protocol';
import { ApiErrors } from '@yield-vault/server';
import type { FastifyReply } from 'fastify';
import type { DiscoveryPort, PositionsPort } from '../../ports.js';
import { Capacity } from '../../http/capacity.guard.js';
import { Limit } from '../../http/limit.decorator.js';
import { tokens } from '../../tokens.js';
import { HistoryRequestDto, HistoryResponseDto } from './history.dto.js';
import { StatusRequestDto, StatusResponseDto } from './status.dto.js';

const disconnected = { detail: 'The client disconnected.', details: { dependency: 'client' } };

@ApiTags('Portfolio')
@Controller('v1/yield')
export class PortfolioController {
  constructor(
    @Inject(tokens.positions) private readonly positions: PositionsPort,
    @Inject(tokens.discovery) private readonly discovery: DiscoveryPort,
  ) {}

  @Get('status')
  @Limit('status')
  @Capacity('status')
  @ApiOperation({
    summary: 'Positions of a wallet',
    description:
      'Every active position on every active chain, with its cost, value and yield. The response never waits for the ' +
      'past of a wallet. While the service reads it in the background, positions have `costBasis: pending`; ask again ' +
      'in a moment.',
  })
  @ApiOkResponse({ type: StatusResponseDto, description: 'The portfolio.' })
  @ApiErrors('get', 'INVALID_PARAMETERS', 'FORKS_NOT_CONFIGURED', 'DATA_STALE', 'UPSTREAM_UNAVAILABLE')
  status(
    @Query() { userAddress }: StatusRequestDto,
    @Res({ passthrough: true }) { raw }: FastifyReply,
  ): Promise<StatusResponseDto> {
    const left = new AbortController();
    raw.once('close', () => left.abort(new UpstreamUnavailableError(disconnected)));
    return this.positions.status(userAddress, left.signal);
  }

  @Get('history')
  @Limit('history')
  @ApiOperation({
    summary: 'APY and TVL of a vault over time',
    description: 'The last real snapshot of each UTC bucket; nothing is interpolated.',
  })
  @ApiOkResponse({ type: HistoryResponseDto, description: 'The time series and its summary.' })
  @ApiErrors('get', 'INVALID_PARAMETERS', 'UNKNOWN_VAULT', 'DATA_STALE', 'UPSTREAM_UNAVAILABLE')
  history(@Query() request: HistoryRequestDto): Promise<HistoryResponseDto> {
    return this.discovery.history(request);
  }
}
