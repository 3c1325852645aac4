import { Body, Controller, Header, HttpCode, Inject, Post } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { ActiveChains } from '@yield-vault/chains';
import { ApiErrors, OkResponse } from '@yield-vault/server';
import type { VaultDiscovery } from '@yield-vault/vault-discovery';
import { Limit } from '../../http/limit.decorator.js';
import { tokens } from '../../tokens.js';
import { Priced } from '../../http/priced.decorator.js';
import { DiscoverRequestDto } from './discover-request.dto.js';
import { toJson } from './to-json.js';

@ApiTags('Discovery')
@Controller('v1/yield')
export class DiscoveryController {
  constructor(
    @Inject(tokens.chains) private readonly chains: ActiveChains,
    @Inject(tokens.discovery) private readonly discovery: VaultDiscovery,
  ) {}

  @Post('discover')
  @HttpCode(200)
  @Limit('discover')
  @Priced('discover')
  @ApiOperation({
    summary: 'Rank the vaults of a chain',
    description: 'Responds from memory. An empty list is not an error.',
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
  @OkResponse('DiscoverResponse', { description: 'The best vaults, best first.' })
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
    return toJson(this.discovery.discover(request));
  }
}
