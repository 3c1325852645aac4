import {
  historyPeriods,
  historyResolutions,
  type HistoryPeriod,
  type HistoryPoint,
  type HistoryRequest,
  type HistoryResolution,
  type HistoryResponse,
} from '@yield-vault/protocol';
import { ApiSchema } from '@nestjs/swagger';
import {
  ApiBaseUnits,
  ApiChoice,
  ApiInteger,
  ApiList,
  ApiNumber,
  ApiObject,
  ApiTimestamp,
  ChoiceField,
  digitsPattern,
  PatternField,
} from '@yield-vault/server';
import { examples } from '../../openapi/examples.js';

export class HistoryRequestDto implements HistoryRequest {
  @PatternField({
    description: 'Id of the vault, from discover.',
    pattern: digitsPattern,
    form: 'decimal digits',
    example: examples.vaultId,
  })
  readonly vaultId!: string;

  @ChoiceField({ description: 'How far back.', values: historyPeriods, default: '7d', example: '7d' })
  readonly period: HistoryPeriod = '7d';

  @ChoiceField({
    description: 'Width of a point. Left out: hourly for 1h, 24h and 7d, daily for 30d and 90d.',
    values: historyResolutions,
    optional: true,
  })
  readonly resolution?: HistoryResolution;
}

@ApiSchema({ name: 'HistoryPoint', description: 'The last snapshot of one bucket.' })
export class HistoryPointDto implements HistoryPoint {
  @ApiTimestamp({ description: 'Time of the point, UTC.', example: '2026-01-01T12:00:00.000Z' })
  readonly timestamp!: string;

  @ApiNumber({ description: 'APY in percent.', example: 4.1 })
  readonly apy!: number;

  @ApiNumber({ description: 'Assets under management, in USD.', example: 1250000 })
  readonly tvl!: number;
}

@ApiSchema({ name: 'HistorySummary', description: 'Figures over all points; zero when there is none.' })
export class HistorySummaryDto {
  @ApiNumber({ description: 'Mean APY in percent.', example: 4.1 })
  readonly avgApy!: number;

  @ApiNumber({ description: 'Highest APY in percent.', example: 4.4 })
  readonly maxApy!: number;

  @ApiNumber({ description: 'Lowest APY in percent.', example: 3.9 })
  readonly minApy!: number;

  @ApiNumber({ description: 'Mean TVL in USD.', example: 1240000 })
  readonly avgTvl!: number;

  @ApiInteger({ description: 'Number of points.', example: 168 })
  readonly dataPoints!: number;
}

@ApiSchema({ name: 'HistoryResponse', description: 'APY and TVL of a vault over time.' })
export class HistoryResponseDto implements HistoryResponse {
  @ApiBaseUnits({ description: 'Id of the vault.', example: examples.vaultId })
  readonly vaultId!: string;

  @ApiChoice(historyPeriods, { description: 'How far back.', example: '7d' })
  readonly period!: HistoryPeriod;

  @ApiChoice(historyResolutions, { description: 'Width of a point.', example: 'hourly' })
  readonly resolution!: HistoryResolution;

  @ApiList(() => HistoryPointDto, { description: 'Oldest first; buckets without a snapshot are left out.' })
  readonly data!: readonly HistoryPointDto[];

  @ApiObject(() => HistorySummaryDto, { description: 'Figures over all points.' })
  readonly summary!: HistorySummaryDto;
}
