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
  @ApiNumber('Over the last day.', 4.6486) readonly now!: number;
  @ApiNumber('Over the last week.', 4.6083) readonly week!: number;
  @ApiNumber('Over the last month.', 4.5925) readonly month!: number;
}

@ApiSchema({ name: 'Risk', description: 'Risk of a vault.' })
export class RiskDto implements Risk {
  @ApiNumber('0 (safest) to 100.', 2.5) readonly score!: number;
  @ApiChoice(riskLevels, 'The score as a word.', 'low') readonly level!: RiskLevel;
  @ApiChoice(riskRatings, 'The score as a grade.', 'A+') readonly rating!: RiskRating;
}
