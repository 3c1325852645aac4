import { Controller, Get, Inject, UseGuards } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiErrors, EmptyQueryGuard } from '@yield-vault/server';
import type { PaymentsPort } from '../../ports.js';
import { Limit } from '../../http/limit.decorator.js';
import { tokens } from '../../tokens.js';
import { PricesDto } from './prices.dto.js';

@ApiTags('Service')
@Controller('.well-known')
export class PricesController {
  constructor(@Inject(tokens.payments) private readonly payments: PaymentsPort) {}

  @Get('x402')
  @UseGuards(EmptyQueryGuard)
  @Limit('other')
  @ApiOperation({ summary: 'Prices', description: 'Served where payments are enforced.' })
  @ApiOkResponse({ type: PricesDto, description: 'The price of each resource and how to pay it (x402).' })
  @ApiErrors('get', 'INVALID_PARAMETERS')
  readPrices(): PricesDto {
    return this.payments.describePrices();
  }
}
