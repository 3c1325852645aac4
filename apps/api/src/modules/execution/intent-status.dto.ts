import type { IntentListRequest } from '@yield-vault/protocol';
import { AddressField, Hash32Field, QueryIntegerField } from '@yield-vault/server';
import type { Address, Hex } from 'viem';
import { examples } from '../../openapi/examples.js';

export class IntentPathDto {
  @Hash32Field({ description: 'Id of the intent: its merkle root.', example: examples.hash32 })
  readonly intentId!: Hex;
}

export class IntentListRequestDto implements IntentListRequest {
  @AddressField({ description: 'The wallet whose intents to list.', example: examples.agentAddress })
  readonly wallet!: Address;

  @QueryIntegerField({ description: 'Intents at most.', minimum: 1, maximum: 50, default: 20 })
  readonly limit: number = 20;
}
