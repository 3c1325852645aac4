import {
  riskLevels,
  riskRatings,
  type Apy,
  type Risk,
  type RiskLevel,
  type RiskRating,
} from '@yield-vault/protocol';
import { ApiSchema } from '@nestjs/swagger';
import { ApiChoice, ApiNumber } from '@yield-vault/server';

@ApiSchema({ name: 'Apy', description: 'APY in percent: 10 means 10 %.' })
export class ApyDto implements Apy {
  @ApiNumber({ description: 'Over the last day.', example: 4.6486 })
  readonly now!: number;

  @ApiNumber({ description: 'Over the last week.', example: 4.6083 })
  readonly week!: number;

  @ApiNumber({ description: 'Over the last month.', example: 4.5925 })
  readonly month!: number;
}

@ApiSchema({ name: 'Risk', description: 'Risk of a vault.' })
export class RiskDto implements Risk {
  @ApiNumber({ description: '0 (safest) to 100.', example: 2.5 })
  readonly score!: number;

  @ApiChoice(riskLevels, { description: 'The score as a word.', example: 'low' })
  readonly level!: RiskLevel;

  @ApiChoice(riskRatings, { description: 'The score as a grade.', example: 'A+' })
  readonly rating!: RiskRating;
}
