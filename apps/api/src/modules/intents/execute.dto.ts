import {
  executionModel,
  type ExecuteRequest,
  type ExecuteResponse,
  type PositionUpdate,
} from '@yield-vault/protocol';
import { ApiSchema } from '@nestjs/swagger';
import {
  ApiAddress,
  ApiBaseUnits,
  ApiChoice,
  ApiConstant,
  ApiDecimal,
  ApiHash32,
  ApiInteger,
  ApiObject,
  ApiText,
  HexField,
  ObjectField,
  TextField,
} from '@yield-vault/server';
import type { Address, Hex } from 'viem';
import { examples } from '../../openapi/examples.js';
import { IntentEnvelopeDto } from './intent-envelope.dto.js';

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

@ApiSchema({ name: 'Receipt', description: 'Receipt of the user operation.' })
export class ReceiptDto {
  @ApiChoice(['success', 'reverted'], { description: 'Outcome of the user operation.', example: 'success' })
  readonly status!: 'success' | 'reverted';

  @ApiBaseUnits({ description: 'Gas used.', example: '231000' })
  readonly gasUsed!: string;

  @ApiInteger({ description: 'Block of the transaction.', example: 12345678 })
  readonly blockNumber!: number;
}

@ApiSchema({ name: 'GasPaid', description: 'What the gas cost, in human units of the token.' })
export class GasPaidDto {
  @ApiAddress({ description: 'Token that paid.', example: examples.usdc })
  readonly token!: Address;

  @ApiDecimal({ description: 'Amount paid.', example: '0.0123' })
  readonly amount!: string;
}

@ApiSchema({
  name: 'PositionUpdate',
  description: 'What the operation did to a position: positive on deposit, negative on redeem. Human units.',
})
export class PositionUpdateDto implements PositionUpdate {
  @ApiBaseUnits({ description: 'Id of the vault.', example: examples.vaultId })
  readonly vaultId!: string;

  @ApiText({ description: 'Name of the vault.', example: examples.vaultName })
  readonly vaultName!: string;

  @ApiText({ description: 'Chain key.', example: 'base' })
  readonly chain!: string;

  @ApiDecimal({ description: 'Change in shares.', example: '24.5' })
  readonly sharesDelta!: string;

  @ApiDecimal({ description: 'Change in assets.', example: '25' })
  readonly assetsDelta!: string;

  @ApiDecimal({ description: 'Assets per share of this operation.', example: '1.0204' })
  readonly effectivePrice!: string;

  @ApiObject(() => GasPaidDto, { description: 'Gas paid through the paymaster.' })
  readonly gasPaid!: GasPaidDto;
}

@ApiSchema({ name: 'ExecuteResponse', description: 'The intent is on chain.' })
export class ExecuteResponseDto implements ExecuteResponse {
  @ApiConstant(executionModel, { description: 'Execution scheme.' })
  readonly executionModel!: typeof executionModel;

  @ApiChoice(['executed', 'already_executed'], {
    description: 'already_executed: the intent succeeded before; the hashes are those of then.',
    example: 'executed',
  })
  readonly result!: 'executed' | 'already_executed';

  @ApiHash32({ description: 'Hash of the user operation.', example: examples.hash32 })
  readonly userOpHash!: Hex;

  @ApiHash32({ description: 'Hash of the transaction.', example: examples.hash32 })
  readonly txHash!: Hex;

  @ApiInteger({ description: 'Chain id.', example: 8453 })
  readonly chainId!: number;

  @ApiText({ description: 'Chain key.', example: 'base' })
  readonly chain!: string;

  @ApiObject(() => ReceiptDto, { description: 'Receipt of the user operation.' })
  readonly receipt!: ReceiptDto;

  @ApiText({
    description:
      'The transaction on the block explorer of the chain. Where wallets act on test forks, it is on the fork alone, ' +
      'and the explorer does not know it.',
    example: 'https://basescan.org/tx/0x…',
  })
  readonly explorerUrl!: string;

  @ApiObject(() => PositionUpdateDto, { description: 'What changed; with rebalance the vault moved to.' })
  readonly positionUpdate!: PositionUpdateDto;

  @ApiObject(() => PositionUpdateDto, {
    description: 'Rebalance only: the vault that was left.',
    required: false,
  })
  readonly sourcePositionUpdate?: PositionUpdateDto;
}
