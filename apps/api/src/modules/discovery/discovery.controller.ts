import { Body, Controller, Header, HttpCode, Inject, Post } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiErrors } from '@yield-vault/server';
import type { ChainsPort, DiscoveryPort } from '../../ports.js';
import { Limit } from '../../http/limit.decorator.js';
import { tokens } from '../../tokens.js';
import { Priced } from '../payments/priced.decorator.js';
import { DiscoverRequestDto } from './discover-request.dto.js';
import { DiscoverResponseDto } from './discover-response.dto.js';
import { toJson } from './to-json.js';

@ApiTags('Discovery')
@Controller('v1/yield')
export class DiscoveryController {
  constructor(
    @Inject(tokens.chains) private readonly chains: ChainsPort,
    @Inject(tokens.discovery) private readonly discovery: DiscoveryPort,
  ) {}

  @Post('discover')
  @HttpCode(200)
  @Limit('discover')
  @Priced('discover')
  @ApiOperation({
    summary: 'Rank the vaults of a chain',
    description: 'Responds from memory. An empty list is no error.',
  })
  @ApiBody({
    type: DiscoverRequestDto,
    examples: {
      usdc: { summary: 'USDC on Base, balanced', value: { chain: 'base', asset: 'USDC', limit: 5 } },
      careful: {
        summary: 'The safest of low risk on Ethereum',
        value: { chain: 'ethereum', strategy: 'minimize_risk', riskTolerance: 'low', limit: 3 },
      },
      everything: { summary: 'All defaults', value: {} },
    },
  })
  @ApiOkResponse({ type: DiscoverResponseDto, description: 'The best vaults, best first.' })
  @ApiErrors(
    'post',
    'INVALID_PARAMETERS',
    'CHAIN_NOT_ACTIVE',
    'PAYMENT_REQUIRED',
    'PAYMENT_IN_USE',
    'DATA_STALE',
    'UPSTREAM_UNAVAILABLE',
  )
  @Header('content-type', 'application/json; charset=utf-8')
  discover(@Body() request: DiscoverRequestDto): Buffer {
    this.chains.require(request.chain);
    const response: DiscoverResponseDto = this.discovery.discover(request);
    return toJson(response);
  }
}
