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
  @ApiTimestamp({ description: 'Time of the block.', example: '2026-01-01T11:59:48.000Z' })
  readonly timestamp!: string;

  @ApiNumber({ description: 'Whole assets for one whole share.', example: 1.091042088256 })
  readonly sharePrice!: number;
}

const apyWords = ['now', 'week', 'month'] as const satisfies readonly (keyof Apy)[];

@ApiSchema({ name: 'ApyExplanation', description: 'How one APY came about.' })
export class ApyExplanationDto implements ApyExplanation {
  @ApiOrNull(
    { type: 'number' },
    {
      description: 'Percent of this window; null when it has too little history.',
      example: 4.648646981425575,
    },
  )
  readonly value!: number | null;

  @ApiOrNull(
    { type: 'string', enum: ['full', 'gap', 'partial'] },
    {
      description:
        'full: over the whole window; gap: from the first sample after a gap; partial: from the first sample.',
      example: 'full',
    },
  )
  readonly quality!: ApyExplanation['quality'];

  @ApiOrNull(
    { type: 'string', enum: [...apyWords] },
    {
      description: 'The window whose value is served: this one, or one that stands in for it.',
      example: 'now',
    },
  )
  readonly servedBy!: keyof Apy | null;

  @ApiObjectOrNull(PriceSampleDto, { description: 'Where the window begins.' })
  readonly from!: PriceSampleDto | null;

  @ApiObjectOrNull(PriceSampleDto, { description: 'Where it ends.' })
  readonly to!: PriceSampleDto | null;
}

@ApiSchema({ name: 'ApyExplanations', description: 'How the three APYs came about.' })
export class ApyExplanationsDto implements Record<keyof Apy, ApyExplanation> {
  @ApiObject(() => ApyExplanationDto, { description: 'Over the last day.' })
  readonly now!: ApyExplanationDto;

  @ApiObject(() => ApyExplanationDto, { description: 'Over the last week.' })
  readonly week!: ApyExplanationDto;

  @ApiObject(() => ApyExplanationDto, { description: 'Over the last month.' })
  readonly month!: ApyExplanationDto;
}

@ApiSchema({ name: 'Jump', description: 'A rise that no yield explains, e.g. a donation.' })
export class JumpDto {
  @ApiTimestamp({ description: 'First sample after it.', example: '2026-01-01T11:59:48.000Z' })
  readonly timestamp!: string;

  @ApiNumber({ description: 'Change of the share price in percent.', example: 3 })
  readonly changePercent!: number;
}

@ApiSchema({ name: 'SharpeExplanation', description: 'What the Sharpe ratios were computed from.' })
export class SharpeExplanationDto {
  @ApiNumber({ description: 'Risk-free rate a year, in percent.', example: 4 })
  readonly riskFreeRate!: number;

  @ApiInteger({ description: 'Daily returns of the week.', example: 7 })
  readonly weekObservations!: number;

  @ApiInteger({ description: 'Daily returns of the month.', example: 30 })
  readonly monthObservations!: number;
}

@ApiSchema({ name: 'TvlExplanation', description: 'How the TVL came about.' })
export class TvlExplanationDto {
  @ApiBaseUnits({ description: 'Base units of the asset.', example: '183213107068715' })
  readonly totalAssets!: string;

  @ApiNumber({ description: 'USD for one whole unit of the asset; 0 when unknown.', example: 1 })
  readonly priceUsd!: number;

  @ApiText({ description: 'How the price was found.', example: 'feed' })
  readonly priceSource!: string;

  @ApiNumber({ description: 'Product of both, in USD.', example: 183213107.068715 })
  readonly usd!: number;
}

@ApiSchema({ name: 'RiskFactor', description: 'One factor of the risk score.' })
export class RiskFactorDto implements RiskFactorExplanation {
  @ApiText({ description: 'Name.', example: 'audit' })
  readonly factor!: string;

  @ApiNumber({ description: 'Percent of the score.', example: 8 })
  readonly weight!: number;

  @ApiProperty({
    oneOf: [{ type: 'string' }, { type: 'number' }, { type: 'null' }],
    description: 'What it was judged by; null when unknown.',
    example: 6,
  })
  readonly input!: string | number | null;

  @ApiNumber({ description: '0 best to 100 worst; the prior when the input is unknown.', example: 0 })
  readonly value!: number;

  @ApiBoolean({ description: 'Whether the input is known.', example: true })
  readonly isKnown!: boolean;

  @ApiNumber({ description: 'weight × value / 100.', example: 0 })
  readonly contribution!: number;
}

@ApiSchema({ name: 'RiskFloor', description: 'A least score.' })
export class RiskFloorDto {
  @ApiText({ description: 'Why.', example: 'age<30d' })
  readonly reason!: string;

  @ApiNumber({ description: 'The risk score is at least this.', example: 46 })
  readonly atLeast!: number;
}

@ApiSchema({
  name: 'RiskExplanation',
  description: 'How the risk score came about: the largest of base and floors.',
})
export class RiskExplanationDto {
  @ApiNumber({ description: 'Sum of the contributions.', example: 2.4971066163758837 })
  readonly base!: number;

  @ApiNumber({ description: 'Percent of the weights whose input is known.', example: 100 })
  readonly coverage!: number;

  @ApiList(() => RiskFactorDto, { description: 'The factors; their weights add up to 100.' })
  readonly factors!: readonly RiskFactorDto[];

  @ApiList(() => RiskFloorDto, { description: 'The floors that hold.' })
  readonly floors!: readonly RiskFloorDto[];
}

type CompositePart = keyof CompositeExplanation['features'];

@ApiSchema({ name: 'CompositeParts', description: 'One number for each part of the composite score.' })
export class CompositePartsDto implements Record<CompositePart, number> {
  @ApiNumber({ description: 'Of the APYs.', example: 0.35 })
  readonly yield!: number;

  @ApiNumber({ description: 'Of the risk score.', example: 0.3 })
  readonly safety!: number;

  @ApiNumber({ description: 'Of the Sharpe ratios.', example: 0.15 })
  readonly sharpe!: number;

  @ApiNumber({ description: 'Of the TVL.', example: 0.1 })
  readonly tvl!: number;

  @ApiNumber({ description: 'Of how alike the APYs are.', example: 0.1 })
  readonly stability!: number;
}

@ApiSchema({ name: 'CompositeExplanation', description: 'How a composite score came about.' })
export class CompositeExplanationDto implements CompositeExplanation {
  @ApiObject(() => CompositePartsDto, { description: 'The parts, 0 to 100 each.' })
  readonly features!: CompositePartsDto;

  @ApiObject(() => CompositePartsDto, { description: 'Their weights, which add up to 1.' })
  readonly weights!: CompositePartsDto;

  @ApiNumber({ description: '1, 0.9 or 0.75 by the length of the history.', example: 1 })
  readonly quality!: number;

  @ApiNumber({ description: 'Sum of weight × part, times quality.', example: 70.99965388184387 })
  readonly score!: number;
}

@ApiSchema({
  name: 'CompositeExplanations',
  description: 'How the composite scores came about, by strategy.',
})
export class CompositeExplanationsDto implements Record<Strategy, CompositeExplanation> {
  @ApiObject(() => CompositeExplanationDto, { description: `Of ${strategies[0]}.` })
  readonly maximize_apy!: CompositeExplanationDto;

  @ApiObject(() => CompositeExplanationDto, { description: `Of ${strategies[1]}.` })
  readonly minimize_risk!: CompositeExplanationDto;

  @ApiObject(() => CompositeExplanationDto, { description: `Of ${strategies[2]}.` })
  readonly balanced!: CompositeExplanationDto;
}

@ApiSchema({ name: 'Explanation', description: 'Every input, factor, weight and floor behind the numbers.' })
export class ExplanationDto implements Explanation {
  @ApiObject(() => ApyExplanationsDto, { description: 'The APYs.' })
  readonly apy!: ApyExplanationsDto;

  @ApiList(() => JumpDto, { description: 'Rises that were flattened for APY and Sharpe ratio.' })
  readonly jumps!: readonly JumpDto[];

  @ApiInteger({ description: 'Samples that were errors of the data and repaired.', example: 0 })
  readonly spikesRepaired!: number;

  @ApiObject(() => SharpeExplanationDto, { description: 'The Sharpe ratios.' })
  readonly sharpe!: SharpeExplanationDto;

  @ApiOrNull(
    { type: 'number' },
    { description: 'Largest loss within 90 days, percent; null when the history is too short.', example: 0 },
  )
  readonly maxDrawdown90d!: number | null;

  @ApiOrNull(
    { type: 'number' },
    {
      description: 'Volatility a year, percent; null when the history is too short.',
      example: 0.007774435099488727,
    },
  )
  readonly volatility!: number | null;

  @ApiNumber({
    description: '0 to 100: the smallest of the three APYs by the largest.',
    example: 98.79112607902903,
  })
  readonly stability!: number;

  @ApiObject(() => TvlExplanationDto, { description: 'The TVL.' })
  readonly tvl!: TvlExplanationDto;

  @ApiOrNull(
    { type: 'number' },
    {
      description:
        'Percent that the largest vaults of the same chain and kind of asset pay; null without any.',
      example: 5.530375833597645,
    },
  )
  readonly benchmarkApy!: number | null;

  @ApiObject(() => RiskExplanationDto, { description: 'The risk score.' })
  readonly risk!: RiskExplanationDto;

  @ApiObject(() => CompositeExplanationsDto, { description: 'The composite scores.' })
  readonly composite!: CompositeExplanationsDto;
}
