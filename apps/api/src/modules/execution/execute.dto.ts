import type { ExecuteRequest } from '@yield-vault/protocol';
import { ApiSchema } from '@nestjs/swagger';
import { HexField, ObjectField, TextField } from '@yield-vault/server';
import type { Hex } from 'viem';
import { examples } from '../../openapi/examples.js';
import { IntentEnvelopeDto } from '../prepare/intent-envelope.dto.js';

@ApiSchema({ name: 'ExecuteRequest', description: 'A signed intent.' })
export class ExecuteRequestDto implements ExecuteRequest {
  @ObjectField(() => IntentEnvelopeDto, { description: 'The envelope exactly as prepare returned it.' })
  readonly intentEnvelope!: IntentEnvelopeDto;

  @HexField({
    description: "EIP-712 signature over intentEnvelope.signing by the wallet's key.",
    example: examples.signature,
  })
  readonly intentSignature!: Hex;

  @TextField({ description: 'When given, must equal intentEnvelope.merkleRoot.', optional: true })
  readonly intentId?: string;
}
