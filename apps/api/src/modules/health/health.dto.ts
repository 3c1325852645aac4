import { ApiProperty, ApiSchema, getSchemaPath } from '@nestjs/swagger';
import { environments } from '@yield-vault/deployment';
import type { ChainHealth, Health } from '@yield-vault/protocol';
import { ApiChoice, ApiConstant, ApiInteger, ApiObject, ApiText } from '@yield-vault/server';

@ApiSchema({ name: 'Freshness', description: 'Age of the ranking.' })
export class FreshnessDto {
  @ApiChoice(['healthy', 'stale', 'critical'], 'Age in a word.', 'healthy')
  readonly snapshotFreshnessStatus!: 'healthy' | 'stale' | 'critical';

  @ApiProperty({
    oneOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }],
    description:
      'Time of the newest snapshot of the chain that is furthest behind; null until every chain has one.',
    example: '2026-01-01T12:00:00.000Z',
  })
  readonly latestSnapshotAt!: string | null;
}

@ApiSchema({ name: 'ChainHealth', description: 'State of one chain.' })
export class ChainHealthDto implements ChainHealth {
  @ApiInteger('Chain id.', 8453) readonly chainId!: number;

  @ApiProperty({
    oneOf: [{ type: 'integer' }, { type: 'null' }],
    description: 'Newest block seen.',
    example: 12345678,
  })
  readonly blockNumber!: number | null;

  @ApiChoice(['ok', 'down'], 'The RPC.', 'ok') readonly rpc!: 'ok' | 'down';

  @ApiChoice(['ok', 'down', 'off'], 'The bundler; off where none is configured.', 'ok')
  readonly bundler!: 'ok' | 'down' | 'off';
}

@ApiSchema({ name: 'Health', description: 'State of the service, from a background probe.' })
export class HealthDto implements Health {
  @ApiChoice(['ok', 'degraded'], 'ok when every part works.', 'ok') readonly status!: 'ok' | 'degraded';
  @ApiText('Version of the service.', '0.1.0') readonly version!: string;
  @ApiChoice(environments, 'Deployment.', 'local') readonly environment!: string;
  @ApiInteger('Seconds since the start.', 3600) readonly uptimeSeconds!: number;

  @ApiChoice(['off', 'enforce'], 'Simulation before submission.', 'enforce')
  readonly preflightMode!: 'off' | 'enforce';

  @ApiChoice(['on', 'off'], 'Whether discover and prepare must be paid.', 'off')
  readonly paymentEnforcement!: 'on' | 'off';

  @ApiObject(() => FreshnessDto, 'Age of the ranking.') readonly freshness!: FreshnessDto;

  @ApiProperty({
    type: 'object',
    additionalProperties: { $ref: getSchemaPath(ChainHealthDto) },
    description: 'The active chains by key.',
  })
  readonly chains!: Readonly<Record<string, ChainHealthDto>>;
}

@ApiSchema({ name: 'Ready', description: 'The service takes requests.' })
export class ReadyDto {
  @ApiConstant('ready', 'Every part works.') readonly status!: 'ready';
}
