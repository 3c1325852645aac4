import { ApiSchema } from '@nestjs/swagger';
import type { StatusBatchRequest, StatusRequest } from '@yield-vault/protocol';
import { AddressesField, AddressField } from '@yield-vault/server';
import type { Address } from 'viem';
import { examples } from '../../openapi/examples.js';

export class StatusRequestDto implements StatusRequest {
  @AddressField({ description: 'The wallet to report.', example: examples.agentAddress })
  readonly userAddress!: Address;
}

export const mostWallets = 50;

@ApiSchema({ name: 'StatusBatchRequest', description: 'The wallets of one agent or fleet.' })
export class StatusBatchRequestDto implements StatusBatchRequest {
  @AddressesField({
    description: 'The wallets to report. Each counts against the limit of requests.',
    maxItems: mostWallets,
    example: [examples.agentAddress],
  })
  readonly userAddresses!: readonly Address[];
}
