import { Controller, Get, Inject, UseGuards } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Payments } from '@yield-vault/payments';
import type { PricesResponse } from '@yield-vault/protocol';
import { ApiErrors, EmptyQueryGuard, OkResponse } from '@yield-vault/server';
import { Limit } from '../../http/limit.decorator.js';
import { tokens } from '../../tokens.js';

@ApiTags('Service')
@Controller('.well-known')
export class PricesController {
  constructor(@Inject(tokens.payments) private readonly payments: Payments) {}

  @Get('x402')
  @UseGuards(EmptyQueryGuard)
  @Limit('other')
  @ApiOperation({ summary: 'Prices', description: 'Served where payments are enforced.' })
  @OkResponse('Prices', {
    description: 'The price of each resource and how to pay it (x402).',
  })
  @ApiErrors('get', 'INVALID_PARAMETERS')
  readPrices(): PricesResponse {
    return this.payments.describePrices();
  }
}
