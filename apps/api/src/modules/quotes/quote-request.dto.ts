import {
  type AlternativesRequest,
  decimalPattern,
  type QuoteRequest,
  type RiskLevel,
  riskLevels,
  strategies,
  type Strategy,
} from '@yield-vault/protocol';
import { ChoiceField, PatternField, QueryIntegerField } from '@yield-vault/server';

export class QuoteQueryDto implements Omit<QuoteRequest, 'vaultId'> {
  @PatternField({
    description: 'Amount in human units of the asset.',
    pattern: decimalPattern,
    form: 'digits with an optional fractional part',
    example: '25000',
  })
  readonly amount!: string;

  @QueryIntegerField({ description: 'Days until the redeem.', minimum: 1, maximum: 365, default: 30 })
  readonly days: number = 30;
}

export class AlternativesQueryDto extends QuoteQueryDto implements Omit<AlternativesRequest, 'vaultId'> {
  @ChoiceField({ description: 'Preset that ranks the candidates.', values: strategies, default: 'balanced' })
  readonly strategy: Strategy = 'balanced';

  @ChoiceField({
    description: 'Highest risk level of the candidates. Default: the risk level of the vault.',
    values: riskLevels,
    optional: true,
  })
  readonly riskTolerance?: RiskLevel;
}
