import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import type { PricedItem, PricesResponse } from '@yield-vault/protocol';
import { ApiConstant, ApiList, ApiText, ApiTexts } from '@yield-vault/server';
import { examples } from '../../openapi/examples.js';

@ApiSchema({ name: 'PricedResource', description: 'A priced resource and its payment terms.' })
export class PricedResourceDto implements PricedItem {
  @ApiText('URL of the resource.', 'https://api.example.org/v1/yield/prepare') readonly resource!: string;
  @ApiConstant('http', 'Transport of the resource.') readonly type!: 'http';
  @ApiText('HTTP method.', 'POST') readonly method!: string;
  @ApiText('Purpose of the resource.', 'Build a setup or an execution payload') readonly description!: string;

  @ApiProperty({
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    description: 'x402 v2 payment requirements, one per chain.',
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

@ApiSchema({ name: 'Prices', description: 'Prices of the service.' })
export class PricesDto implements PricesResponse {
  @ApiConstant(1, 'Version of this document.') readonly version!: 1;
  @ApiConstant(2, 'Version of x402.') readonly x402Version!: 2;

  @ApiTexts('Method and path of each priced resource.', ['POST /v1/yield/prepare'])
  readonly resources!: readonly string[];

  @ApiList(() => PricedResourceDto, 'The priced resources with their payment terms.')
  readonly items!: readonly PricedResourceDto[];
}
