import { intentStates, type IntentListRequest, type IntentState } from '@yield-vault/protocol';
import { AddressField, ChoiceField, Hash32Field, QueryIntegerField, TextField } from '@yield-vault/server';
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

  @TextField({
    description: '`nextCursor` of the page before, of the same wallet. Default: the newest intents.',
    minLength: 1,
    optional: true,
  })
  readonly cursor?: string;

  @ChoiceField({
    description: 'Only intents in this state. Reserved and simulated ones are in no list.',
    values: intentStates,
    optional: true,
  })
  readonly state?: IntentState;
}
