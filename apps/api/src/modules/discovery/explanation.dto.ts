import {
  strategies,
  type Apy,
  type ApyExplanation,
  type CompositeExplanation,
  type PriceSample,
  type RiskFactorExplanation,
  type Strategy,
  type VaultReport,
} from '@yield-vault/protocol';
import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import {
  ApiBaseUnits,
  ApiBoolean,
  ApiInteger,
  ApiList,
  ApiNumber,
  ApiObject,
  ApiObjectOrNull,
  ApiOrNull,
  ApiText,
  ApiTimestamp,
} from '@yield-vault/server';

type Explanation = VaultReport['explanation'];

@ApiSchema({ name: 'PriceSample', description: 'A share price after cleaning.' })
export class PriceSampleDto implements PriceSample {
  @ApiTimestamp('Time of the block.', '2026-01-01T11:59:48.000Z') readonly timestamp!: string;
  @ApiNumber('Whole assets for one whole share.', 1.091042088256) readonly sharePrice!: number;
}

const apyWords = ['now', 'week', 'month'] as const satisfies readonly (keyof Apy)[];

@ApiSchema({ name: 'ApyExplanation', description: 'Computation of one APY.' })
export class ApyExplanationDto implements ApyExplanation {
  @ApiOrNull('number', 'Percent of this window; null when it has too little history.', 4.648646981425575)
  readonly value!: number | null;

  @ApiOrNull(
    { type: 'string', enum: ['full', 'gap', 'partial'] },
    'full: over the whole window; gap: from the first sample after a gap; partial: from the first sample.',
    'full',
  )
  readonly quality!: ApyExplanation['quality'];

  @ApiOrNull(
    { type: 'string', enum: [...apyWords] },
    'The window whose value is served: this one, or one that stands in for it.',
    'now',
  )
  readonly servedBy!: keyof Apy | null;

  @ApiObjectOrNull(PriceSampleDto, 'Where the window begins.') readonly from!: PriceSampleDto | null;
  @ApiObjectOrNull(PriceSampleDto, 'Where it ends.') readonly to!: PriceSampleDto | null;
}

@ApiSchema({ name: 'ApyExplanations', description: 'Computation of the three APYs.' })
export class ApyExplanationsDto implements Record<keyof Apy, ApyExplanation> {
  @ApiObject(() => ApyExplanationDto, 'Over the last day.') readonly now!: ApyExplanationDto;
  @ApiObject(() => ApyExplanationDto, 'Over the last week.') readonly week!: ApyExplanationDto;
  @ApiObject(() => ApyExplanationDto, 'Over the last month.') readonly month!: ApyExplanationDto;
}

@ApiSchema({ name: 'Jump', description: 'A rise that no yield explains, e.g. a donation.' })
export class JumpDto {
  @ApiTimestamp('First sample after it.', '2026-01-01T11:59:48.000Z') readonly timestamp!: string;
  @ApiNumber('Change of the share price in percent.', 3) readonly changePercent!: number;
}

@ApiSchema({ name: 'SharpeExplanation', description: 'Inputs of the Sharpe ratios.' })
export class SharpeExplanationDto {
  @ApiNumber('Risk-free rate a year, in percent.', 4) readonly riskFreeRate!: number;
  @ApiInteger('Daily returns of the week.', 7) readonly weekObservations!: number;
  @ApiInteger('Daily returns of the month.', 30) readonly monthObservations!: number;
}

@ApiSchema({ name: 'TvlExplanation', description: 'Computation of the TVL.' })
export class TvlExplanationDto {
  @ApiBaseUnits('Base units of the asset.', '183213107068715') readonly totalAssets!: string;
  @ApiNumber('USD for one whole unit of the asset; 0 when unknown.', 1) readonly priceUsd!: number;
  @ApiText('How the price was found.', 'feed') readonly priceSource!: string;
  @ApiNumber('Product of both, in USD.', 183213107.068715) readonly usd!: number;
}

@ApiSchema({ name: 'RiskFactor', description: 'One factor of the risk score.' })
export class RiskFactorDto implements RiskFactorExplanation {
  @ApiText('Name.', 'audit') readonly factor!: string;
  @ApiNumber('Percent of the score.', 8) readonly weight!: number;

  @ApiProperty({
    oneOf: [{ type: 'string' }, { type: 'number' }, { type: 'null' }],
    description: 'What it was judged by; null when unknown.',
    example: 6,
  })
  readonly input!: string | number | null;

  @ApiNumber('0 best to 100 worst; the prior when the input is unknown.', 0) readonly value!: number;
  @ApiBoolean('Whether the input is known.', true) readonly isKnown!: boolean;
  @ApiNumber('weight × value / 100.', 0) readonly contribution!: number;
}

@ApiSchema({ name: 'RiskFloor', description: 'A least score.' })
export class RiskFloorDto {
  @ApiText('Why.', 'age<30d') readonly reason!: string;
  @ApiNumber('The risk score is at least this.', 46) readonly atLeast!: number;
}

@ApiSchema({
  name: 'RiskExplanation',
  description: 'Computation of the risk score: the largest of base and floors.',
})
export class RiskExplanationDto {
  @ApiNumber('Sum of the contributions.', 2.4971066163758837) readonly base!: number;
  @ApiNumber('Percent of the weights whose input is known.', 100) readonly coverage!: number;

  @ApiList(() => RiskFactorDto, 'The factors; their weights add up to 100.')
  readonly factors!: readonly RiskFactorDto[];

  @ApiList(() => RiskFloorDto, 'The floors that hold.') readonly floors!: readonly RiskFloorDto[];
}

type CompositePart = keyof CompositeExplanation['features'];

@ApiSchema({ name: 'CompositeParts', description: 'One number for each part of the composite score.' })
export class CompositePartsDto implements Record<CompositePart, number> {
  @ApiNumber('Of the APYs.', 0.35) readonly yield!: number;
  @ApiNumber('Of the risk score.', 0.3) readonly safety!: number;
  @ApiNumber('Of the Sharpe ratios.', 0.15) readonly sharpe!: number;
  @ApiNumber('Of the TVL.', 0.1) readonly tvl!: number;
  @ApiNumber('Of how alike the APYs are.', 0.1) readonly stability!: number;
}

@ApiSchema({ name: 'CompositeExplanation', description: 'Computation of a composite score.' })
export class CompositeExplanationDto implements CompositeExplanation {
  @ApiObject(() => CompositePartsDto, 'The parts, 0 to 100 each.') readonly features!: CompositePartsDto;

  @ApiObject(() => CompositePartsDto, 'Their weights, which add up to 1.')
  readonly weights!: CompositePartsDto;

  @ApiNumber('1, 0.9 or 0.75 by the length of the history.', 1) readonly quality!: number;
  @ApiNumber('Sum of weight × part, times quality.', 70.99965388184387) readonly score!: number;
}

@ApiSchema({
  name: 'CompositeExplanations',
  description: 'Computation of the composite scores, by strategy.',
})
export class CompositeExplanationsDto implements Record<Strategy, CompositeExplanation> {
  @ApiObject(() => CompositeExplanationDto, `Of ${strategies[0]}.`)
  readonly maximize_apy!: CompositeExplanationDto;

  @ApiObject(() => CompositeExplanationDto, `Of ${strategies[1]}.`)
  readonly minimize_risk!: CompositeExplanationDto;

  @ApiObject(() => CompositeExplanationDto, `Of ${strategies[2]}.`)
  readonly balanced!: CompositeExplanationDto;
}

@ApiSchema({ name: 'Explanation', description: 'Every input, factor, weight and floor behind the numbers.' })
export class ExplanationDto implements Explanation {
  @ApiObject(() => ApyExplanationsDto, 'The APYs.') readonly apy!: ApyExplanationsDto;

  @ApiList(() => JumpDto, 'Rises that were flattened for APY and Sharpe ratio.')
  readonly jumps!: readonly JumpDto[];

  @ApiInteger('Samples that were errors of the data and repaired.', 0) readonly spikesRepaired!: number;
  @ApiObject(() => SharpeExplanationDto, 'The Sharpe ratios.') readonly sharpe!: SharpeExplanationDto;

  @ApiOrNull('number', 'Largest loss within 90 days, percent; null when the history is too short.', 0)
  readonly maxDrawdown90d!: number | null;

  @ApiOrNull(
    'number',
    'Volatility a year, percent; null when the history is too short.',
    0.007774435099488727,
  )
  readonly volatility!: number | null;

  @ApiNumber('0 to 100: the smallest of the three APYs by the largest.', 98.79112607902903)
  readonly stability!: number;

  @ApiObject(() => TvlExplanationDto, 'The TVL.') readonly tvl!: TvlExplanationDto;

  @ApiOrNull(
    'number',
    'Percent that the largest vaults of the same chain and kind of asset pay; null without any.',
    5.530375833597645,
  )
  readonly benchmarkApy!: number | null;

  @ApiObject(() => RiskExplanationDto, 'The risk score.') readonly risk!: RiskExplanationDto;

  @ApiObject(() => CompositeExplanationsDto, 'The composite scores.')
  readonly composite!: CompositeExplanationsDto;
}
