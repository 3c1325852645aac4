import { Body, Controller, Get, HttpCode, Inject, Post, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Positions } from '@yield-vault/positions';
import type { HistoryResponse, StatusBatchResponse, StatusResponse } from '@yield-vault/protocol';
import { abortWhenCallerLeaves, ApiErrors, OkResponse } from '@yield-vault/server';
import type { VaultDiscovery } from '@yield-vault/vault-discovery';
import type { FastifyReply } from 'fastify';
import { Capacity } from '../../http/capacity.guard.js';
import { Client } from '../../http/client.js';
import { Limit, Weight } from '../../http/limit.decorator.js';
import { tokens } from '../../tokens.js';
import { HistoryRequestDto } from './history.dto.js';
import { mostWallets, StatusBatchRequestDto, StatusRequestDto } from './status.dto.js';

@ApiTags('Portfolio')
@Controller('v1/yield')
export class PortfolioController {
  constructor(
    @Inject(tokens.positions) private readonly positions: Positions,
    @Inject(tokens.discovery) private readonly discovery: VaultDiscovery,
  ) {}

  @Get('status')
  @Limit('status')
  @Capacity('status')
  @ApiOperation({
    summary: 'Positions of a wallet',
    description:
      'Every active position on every active chain, with its cost, value and yield; and, by chain, the setup of the ' +
      'wallet, its idle balances and the gas of leaving. The response never waits for the ' +
      'past of a wallet. While the service reads it in the background, positions have `costBasis: pending`; ask again ' +
      'in a moment.',
  })
  @OkResponse('StatusResponse', { description: 'The portfolio.' })
  @ApiErrors('get', 'INVALID_PARAMETERS', 'FORKS_NOT_CONFIGURED', 'DATA_STALE', 'UPSTREAM_UNAVAILABLE')
  status(
    @Query() { userAddress }: StatusRequestDto,
    @Client() client: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StatusResponse> {
    return this.positions.status(userAddress, { client, signal: abortWhenCallerLeaves(reply) });
  }

  @Post('status/batch')
  @HttpCode(200)
  @Limit('status')
  @Weight({ field: 'userAddresses', most: mostWallets })
  @Capacity('statusBatch')
  @ApiOperation({
    summary: 'Positions of several wallets',
    description:
      'The portfolio of 1 to 50 wallets, in their order. It counts as one request a wallet. A batch of more wallets than ' +
      'the limit has left is refused, and counts as one request.',
  })
  @OkResponse('StatusBatchResponse', { description: 'The portfolios.' })
  @ApiErrors('post', 'INVALID_PARAMETERS', 'FORKS_NOT_CONFIGURED', 'DATA_STALE', 'UPSTREAM_UNAVAILABLE')
  async statusBatch(
    @Body() { userAddresses }: StatusBatchRequestDto,
    @Client() client: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StatusBatchResponse> {
    const signal = abortWhenCallerLeaves(reply);
    return { wallets: await this.positions.statusBatch(userAddresses, { client, signal }) };
  }

  @Get('history')
  @Limit('history')
  @ApiOperation({
    summary: 'APY and TVL of a vault over time',
    description: 'The last real snapshot of each UTC bucket; nothing is interpolated.',
  })
  @OkResponse('HistoryResponse', { description: 'The time series and its summary.' })
  @ApiErrors('get', 'INVALID_PARAMETERS', 'UNKNOWN_VAULT', 'DATA_STALE', 'UPSTREAM_UNAVAILABLE')
  history(@Query() request: HistoryRequestDto): Promise<HistoryResponse> {
    return this.discovery.history(request);
  }
}
