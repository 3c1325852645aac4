import {
  errorCatalogue,
  intentStates,
  type ErrorCode,
  type IntentFailureReport,
  type IntentListRequest,
  type IntentListResponse,
  type IntentState,
  type IntentStatus,
} from '@yield-vault/protocol';
import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import {
  AddressField,
  ApiAddress,
  ApiChoice,
  ApiHash32,
  ApiInteger,
  ApiList,
  ApiObjectOrNull,
  ApiOrNull,
  ApiText,
  ApiTimestamp,
  Hash32Field,
  QueryIntegerField,
} from '@yield-vault/server';
import type { Address, Hex } from 'viem';
import { examples } from '../../openapi/examples.js';
import { ExecuteResponseDto } from './execute.dto.js';

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

@ApiSchema({ name: 'IntentFailure', description: 'Why the intent has no effect and never will.' })
export class IntentFailureDto implements IntentFailureReport {
  @ApiChoice(Object.keys(errorCatalogue), 'Stable code of the error.', 'TRANSACTION_SUBMISSION_FAILED')
  readonly code!: ErrorCode;

  @ApiText('What happened.', 'The operation was included and reverted: INSUFFICIENT_BALANCE.')
  readonly detail!: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'Particulars, such as revertReason, aaCode or txHash.',
    example: { revertReason: 'INSUFFICIENT_BALANCE' },
  })
  readonly details!: IntentFailureReport['details'];

  @ApiText('What to do next.', 'Check balance and limits, then call prepare again.')
  readonly nextAction!: string;
}

@ApiSchema({ name: 'IntentStatus', description: 'A signed intent of the ledger.' })
export class IntentStatusDto implements IntentStatus {
  @ApiHash32('Id of the intent: its merkle root.', examples.hash32) readonly intentId!: Hex;

  @ApiChoice(
    intentStates,
    'confirmed, failed and expired are final. An included intent has a result that a reorganisation may still undo.',
    'confirmed',
  )
  readonly state!: IntentState;

  @ApiText('Chain key.', 'base') readonly chain!: string;
  @ApiInteger('Chain id.', 8453) readonly chainId!: number;
  @ApiAddress('The wallet.', examples.agentAddress) readonly wallet!: Address;
  @ApiHash32('Hash of the user operation.', examples.hash32) readonly userOpHash!: Hex;
  @ApiOrNull('string', 'Hash of the transaction, once the operation is included.', examples.hash32)
  readonly txHash!: Hex | null;

  @ApiInteger('Unix time in seconds after which it cannot be included.', 1767225600)
  readonly expiry!: number;

  @ApiTimestamp('When it was executed first.', '2026-01-01T12:00:00.000Z') readonly createdAt!: string;
  @ApiTimestamp('When its state changed last.', '2026-01-01T12:00:02.000Z') readonly updatedAt!: string;

  @ApiObjectOrNull(ExecuteResponseDto, 'The response of execute, once the operation is included.')
  readonly result!: ExecuteResponseDto | null;

  @ApiObjectOrNull(IntentFailureDto, 'Set in the states failed and expired.')
  readonly failure!: IntentFailureDto | null;
}

@ApiSchema({ name: 'IntentListResponse', description: 'Intents of a wallet that were submitted.' })
export class IntentListResponseDto implements IntentListResponse {
  @ApiAddress('The wallet.', examples.agentAddress) readonly wallet!: Address;
  @ApiInteger('Number of intents.', 1) readonly count!: number;
  @ApiList(() => IntentStatusDto, 'Newest first.') readonly intents!: readonly IntentStatusDto[];
}
