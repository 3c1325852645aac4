import {
  decimalPattern,
  operations,
  riskLevels,
  strategies,
  type Operation,
  type PrepareRequest,
  type RebalanceSteering,
  type RiskLevel,
  type Strategy,
} from '@yield-vault/protocol';
import { ApiSchema } from '@nestjs/swagger';
import {
  AddressField,
  ChoiceField,
  NumberField,
  PatternField,
  Rule,
  TextField,
  DigitsField,
} from '@yield-vault/server';
import type { Address } from 'viem';
import { examples } from '../../openapi/examples.js';

const isDeposit = ({ operation }: VaultOperationDto) => operation === 'deposit';
const isRedeemWithout = (other: 'shares' | 'percentage') => (dto: VaultOperationDto) =>
  dto.operation === 'redeem' && dto[other] === undefined;

/** The field belongs to one operation only. */
const OnlyWith = (operation: Operation) =>
  Rule<VaultOperationDto>((dto, value) =>
    value === undefined || dto.operation === operation || !operations.includes(dto.operation)
      ? undefined
      : `is allowed with ${operation} only`,
  );

const ExactlyOneOfSharesAndPercentage = () =>
  Rule<VaultOperationDto>(({ operation, shares, percentage }) => {
    if (operation !== 'redeem' || (shares === undefined) !== (percentage === undefined)) return undefined;
    return shares === undefined
      ? 'or percentage is required with redeem'
      : 'is not allowed together with percentage';
  });

/** An operation on a vault: the fields that prepare and calls share. */
export class VaultOperationDto {
  @ChoiceField({
    description: 'What to do with the vault.',
    values: operations,
    default: 'deposit',
    example: 'deposit',
  })
  readonly operation: Operation = 'deposit';

  @TextField({ description: 'Key of an active chain.', default: 'base', example: 'base' })
  readonly chain: string = 'base';

  @DigitsField({
    description: 'Id of the vault, from discover; with rebalance the vault to leave.',
    example: examples.vaultId,
  })
  readonly vaultId!: string;

  @PatternField({
    description: 'Amount in human units of the asset. Required with deposit, and allowed there only.',
    pattern: decimalPattern,
    form: 'digits with an optional fractional part, as a string',
    optional: true,
    requiredWhen: isDeposit,
    example: '25',
  })
  @OnlyWith('deposit')
  readonly amount?: string;

  @PatternField({
    description: 'Redeem only: base units of the share token. Not together with percentage.',
    pattern: /^[1-9]\d*$/,
    form: 'a positive integer without leading zero, as a string',
    optional: true,
    requiredWhen: isRedeemWithout('percentage'),
  })
  @OnlyWith('redeem')
  @ExactlyOneOfSharesAndPercentage()
  readonly shares?: string;

  @NumberField({
    description: 'Redeem only: percent of the position, above 0, at most 100. Not together with shares.',
    above: 0,
    maximum: 100,
    optional: true,
  })
  @OnlyWith('redeem')
  readonly percentage?: number;
}

@ApiSchema({ name: 'PrepareRequest', description: 'The operation to build.' })
export class PrepareRequestDto extends VaultOperationDto implements PrepareRequest {
  @AddressField({ description: "The agent's EOA.", example: examples.agentAddress })
  readonly agentAddress!: Address;

  @TextField({
    description: 'Symbol of the asset. Required with deposit; must be the asset of the vault.',
    minLength: 1,
    optional: true,
    requiredWhen: isDeposit,
    example: 'USDC',
  })
  readonly asset?: string;
}

export class RebalanceSteeringDto implements RebalanceSteering {
  @DigitsField({
    description:
      'Rebalance only: id of the vault to move to, of the same asset. Not together with strategy and riskTolerance.',
    optional: true,
  })
  readonly targetVaultId?: string;

  @ChoiceField({
    description: 'Rebalance only: the preset by which the best target is chosen. Default: balanced.',
    values: strategies,
    optional: true,
  })
  readonly strategy?: Strategy;

  @ChoiceField({
    description: 'Rebalance only: highest risk level of the target. Default: every level.',
    values: riskLevels,
    optional: true,
  })
  readonly riskTolerance?: RiskLevel;
}
