import type { StatusRequest } from '@yield-vault/protocol';
import { AddressField } from '@yield-vault/server';
import type { Address } from 'viem';
import { examples } from '../../openapi/examples.js';

export class StatusRequestDto implements StatusRequest {
  @AddressField({ description: 'The wallet to report.', example: examples.agentAddress })
  readonly userAddress!: Address;
}
