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
  @ApiTimestamp('Time of the point, UTC.', '2026-01-01T12:00:00.000Z') readonly timestamp!: string;
  @ApiNumber('APY in percent.', 4.1) readonly apy!: number;
  @ApiNumber('Assets under management, in USD.', 1250000) readonly tvl!: number;
}

@ApiSchema({ name: 'HistorySummary', description: 'Figures over all points; zero when there is none.' })
export class HistorySummaryDto {
  @ApiNumber('Mean APY in percent.', 4.1) readonly avgApy!: number;
  @ApiNumber('Highest APY in percent.', 4.4) readonly maxApy!: number;
  @ApiNumber('Lowest APY in percent.', 3.9) readonly minApy!: number;
  @ApiNumber('Mean TVL in USD.', 1240000) readonly avgTvl!: number;
  @ApiInteger('Number of points.', 168) readonly dataPoints!: number;
}

@ApiSchema({ name: 'HistoryResponse', description: 'APY and TVL of a vault over time.' })
export class HistoryResponseDto implements HistoryResponse {
  @ApiBaseUnits('Id of the vault.', examples.vaultId) readonly vaultId!: string;
  @ApiChoice(historyPeriods, 'How far back.', '7d') readonly period!: HistoryPeriod;
  @ApiChoice(historyResolutions, 'Width of a point.', 'hourly') readonly resolution!: HistoryResolution;

  @ApiList(() => HistoryPointDto, 'Oldest first; buckets without a snapshot are left out.')
  readonly data!: readonly HistoryPointDto[];

  @ApiObject(() => HistorySummaryDto, 'Figures over all points.') readonly summary!: HistorySummaryDto;
}
