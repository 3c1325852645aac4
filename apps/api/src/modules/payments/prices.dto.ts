import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { ApiConstant, ApiList, ApiText, ApiTexts } from '@yield-vault/server';
import { examples } from '../../openapi/examples.js';

@ApiSchema({ name: 'PricedResource', description: 'What has a price, and its terms.' })
export class PricedResourceDto {
  @ApiText({ description: 'Its URL.', example: 'https://api.example.org/v1/yield/prepare' })
  readonly resource!: string;

  @ApiConstant('http', { description: 'How it is reached.' })
  readonly type!: 'http';

  @ApiText({ description: 'HTTP method.', example: 'POST' })
  readonly method!: string;

  @ApiText({ description: 'What it is.', example: 'Build a setup or an execution payload' })
  readonly description!: string;

  @ApiProperty({
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    description: 'x402 v2 payment requirements, one for each chain.',
    example: [
      {
        scheme: 'exact',
        network: 'eip155:8453',
        amount: '10000',
        asset: examples.usdc,
        payTo: examples.payTo,
        maxTimeoutSeconds: 120,
        extra: { name: 'USD Coin', version: '2' },
      },
    ],
  })
  readonly accepts!: readonly unknown[];
}

@ApiSchema({ name: 'Prices', description: 'What costs how much.' })
export class PricesDto {
  @ApiConstant(1, { description: 'Of this document.' })
  readonly version!: 1;

  @ApiConstant(2, { description: 'Of the protocol.' })
  readonly x402Version!: 2;

  @ApiTexts({ description: 'Method and path of each.', example: ['POST /v1/yield/prepare'] })
  readonly resources!: readonly string[];

  @ApiList(() => PricedResourceDto, { description: 'Each with its terms.' })
  readonly items!: readonly PricedResourceDto[];
}
