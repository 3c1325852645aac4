import {
  historyPeriods,
  historyResolutions,
  type HistoryPeriod,
  type HistoryRequest,
  type HistoryResolution,
} from '@yield-vault/protocol';
import { ChoiceField, DigitsField } from '@yield-vault/server';
import { examples } from '../../openapi/examples.js';

export class HistoryRequestDto implements HistoryRequest {
  @DigitsField({
    description: 'Id of the vault, from discover.',
    example: examples.vaultId,
  })
  readonly vaultId!: string;

  @ChoiceField({ description: 'How far back.', values: historyPeriods, default: '7d', example: '7d' })
  readonly period: HistoryPeriod = '7d';

  @ChoiceField({
    description: 'Width of a point. Default: hourly for 1h, 24h and 7d, daily for 30d and 90d.',
    values: historyResolutions,
    optional: true,
  })
  readonly resolution?: HistoryResolution;
}
