import { ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import type { PricedItem, PricesResponse } from '@yield-vault/protocol';
import { ApiConstant, ApiList, ApiText, ApiTexts, PaymentRequirementsDto } from '@yield-vault/server';

@ApiSchema({ name: 'PricedResource', description: 'A priced resource and its payment terms.' })
export class PricedResourceDto implements PricedItem {
  @ApiText('URL of the resource.', 'https://api.example.org/v1/yield/prepare') readonly resource!: string;
  @ApiConstant('http', 'Transport of the resource.') readonly type!: 'http';
  @ApiText('HTTP method.', 'POST') readonly method!: string;
  @ApiText('Purpose of the resource.', 'Build a setup or an execution payload') readonly description!: string;

  @ApiList(() => PaymentRequirementsDto, 'Payment requirements of x402 v2, one per chain.')
  readonly accepts!: readonly PaymentRequirementsDto[];

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: 'Extensions of x402 v2. `bazaar` has the schemas of input and output.',
  })
  readonly extensions?: PricedItem['extensions'];
}

@ApiSchema({ name: 'Prices', description: 'Prices of the service.' })
export class PricesDto implements PricesResponse {
  @ApiConstant(1, 'Version of this document.') readonly version!: 1;
  @ApiConstant(2, 'Version of x402.') readonly x402Version!: 2;

  @ApiTexts('URL of each priced resource.', ['https://api.example.org/v1/yield/prepare'])
  readonly resources!: readonly string[];

  @ApiList(() => PricedResourceDto, 'The priced resources with their payment terms.')
  readonly items!: readonly PricedResourceDto[];
}
