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
import { IntentEnvelopeDto } from '../intents/intent-envelope.dto.js';

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
  @ApiChoice(['success', 'reverted'], 'Outcome of the user operation.', 'success')
  readonly status!: 'success' | 'reverted';

  @ApiBaseUnits('Gas used.', '231000') readonly gasUsed!: string;
  @ApiInteger('Block of the transaction.', 12345678) readonly blockNumber!: number;
}

@ApiSchema({ name: 'GasPaid', description: 'Cost of the gas, in human units of the token.' })
export class GasPaidDto {
  @ApiAddress('Token that paid.', examples.usdc) readonly token!: Address;
  @ApiDecimal('Amount paid.', '0.0123') readonly amount!: string;
}

@ApiSchema({
  name: 'PositionUpdate',
  description: 'What the operation did to a position: positive on deposit, negative on redeem. Human units.',
})
export class PositionUpdateDto implements PositionUpdate {
  @ApiBaseUnits('Id of the vault.', examples.vaultId) readonly vaultId!: string;
  @ApiText('Name of the vault.', examples.vaultName) readonly vaultName!: string;
  @ApiText('Chain key.', 'base') readonly chain!: string;
  @ApiDecimal('Change in shares.', '24.5') readonly sharesDelta!: string;
  @ApiDecimal('Change in assets.', '25') readonly assetsDelta!: string;
  @ApiDecimal('Assets per share of this operation.', '1.0204') readonly effectivePrice!: string;
  @ApiObject(() => GasPaidDto, 'Gas paid through the paymaster.') readonly gasPaid!: GasPaidDto;
}

@ApiSchema({ name: 'ExecuteResponse', description: 'The intent is on chain.' })
export class ExecuteResponseDto implements ExecuteResponse {
  @ApiConstant(executionModel, 'Execution scheme.') readonly executionModel!: typeof executionModel;

  @ApiChoice(
    ['executed', 'already_executed'],
    'already_executed: the intent succeeded before; the hashes are those of then.',
    'executed',
  )
  readonly result!: 'executed' | 'already_executed';

  @ApiHash32('Hash of the user operation.', examples.hash32) readonly userOpHash!: Hex;
  @ApiHash32('Hash of the transaction.', examples.hash32) readonly txHash!: Hex;
  @ApiInteger('Chain id.', 8453) readonly chainId!: number;
  @ApiText('Chain key.', 'base') readonly chain!: string;
  @ApiObject(() => ReceiptDto, 'Receipt of the user operation.') readonly receipt!: ReceiptDto;

  @ApiText(
    'The transaction on the block explorer of the chain. Where wallets act on test forks, it is on the fork alone, ' +
      'and the explorer does not know it.',
    'https://basescan.org/tx/0x…',
  )
  readonly explorerUrl!: string;

  @ApiObject(() => PositionUpdateDto, 'What changed; with rebalance the vault moved to.')
  readonly positionUpdate!: PositionUpdateDto;

  @ApiObject(() => PositionUpdateDto, 'Rebalance only: the vault that was left.', { required: false })
  readonly sourcePositionUpdate?: PositionUpdateDto;
}
