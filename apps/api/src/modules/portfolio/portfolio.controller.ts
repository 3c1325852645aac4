import { Controller, Get, Inject, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiErrors } from '@yield-vault/server';
import type { DiscoveryPort, PositionsPort } from '../../ports.js';
import { Limit } from '../../http/limit.decorator.js';
import { tokens } from '../../tokens.js';
import { HistoryRequestDto, HistoryResponseDto } from './history.dto.js';
import { StatusRequestDto, StatusResponseDto } from './status.dto.js';

@ApiTags('Portfolio')
@Controller('v1/yield')
export class PortfolioController {
  constructor(
    @Inject(tokens.positions) private readonly positions: PositionsPort,
    @Inject(tokens.discovery) private readonly discovery: DiscoveryPort,
  ) {}

  @Get('status')
  @Limit('status')
  @ApiOperation({
    summary: 'Positions of a wallet',
    description: 'Every active position on every active chain, with its cost, value and yield.',
  })
  @ApiOkResponse({ type: StatusResponseDto, description: 'The portfolio.' })
  @ApiErrors('get', 'INVALID_PARAMETERS', 'FORKS_NOT_CONFIGURED', 'DATA_STALE', 'UPSTREAM_UNAVAILABLE')
  status(@Query() { userAddress }: StatusRequestDto): Promise<StatusResponseDto> {
    return this.positions.status(userAddress);
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
