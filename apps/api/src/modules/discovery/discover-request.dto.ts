import {
  riskLevels,
  strategies,
  type DiscoverRequest,
  type RiskLevel,
  type Strategy,
} from '@yield-vault/protocol';
import { ApiSchema } from '@nestjs/swagger';
import { ChoiceField, IntegerField, NumberField, TextField } from '@yield-vault/server';

@ApiSchema({ name: 'DiscoverRequest', description: 'Criteria for vaults. Every property is optional.' })
export class DiscoverRequestDto implements DiscoverRequest {
  @TextField({ description: 'Key of an active chain.', default: 'base', example: 'base' })
  readonly chain: string = 'base';

  @TextField({
    description: 'Symbol of the underlying asset, in any case. Default: all assets.',
    minLength: 1,
    optional: true,
    example: 'USDC',
  })
  readonly asset?: string;

  @ChoiceField({
    description: 'Fixed ranking preset.',
    values: strategies,
    default: 'balanced',
    example: 'balanced',
  })
  readonly strategy: Strategy = 'balanced';

  @ChoiceField({
    description: 'Highest risk level to list. Default: every level.',
    values: riskLevels,
    optional: true,
    example: 'medium',
  })
  readonly riskTolerance?: RiskLevel;

  @NumberField({
    description: 'Lowest current APY to list, in percent (10 means 10 %).',
    minimum: 0,
    optional: true,
    example: 1,
  })
  readonly minApy?: number;

  @IntegerField({ description: 'How many vaults at most.', minimum: 1, maximum: 20, default: 5, example: 5 })
  readonly limit: number = 5;
}
