import { ApiProperty, ApiSchema, getSchemaPath } from '@nestjs/swagger';
import { environments } from '@yield-vault/chains';
import { ApiChoice, ApiConstant, ApiInteger, ApiObject, ApiText } from '@yield-vault/server';

@ApiSchema({ name: 'Freshness', description: 'Age of the ranking.' })
export class FreshnessDto {
  @ApiChoice(['healthy', 'stale', 'critical'], { description: 'Age in a word.', example: 'healthy' })
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
export class ChainHealthDto {
  @ApiInteger({ description: 'Chain id.', example: 8453 })
  readonly chainId!: number;

  @ApiProperty({
    oneOf: [{ type: 'integer' }, { type: 'null' }],
    description: 'Newest block seen.',
    example: 12345678,
  })
  readonly blockNumber!: number | null;

  @ApiChoice(['ok', 'down'], { description: 'The RPC.', example: 'ok' })
  readonly rpc!: 'ok' | 'down';

  @ApiChoice(['ok', 'down', 'off'], {
    description: 'The bundler; off where none is configured.',
    example: 'ok',
  })
  readonly bundler!: 'ok' | 'down' | 'off';
}

@ApiSchema({ name: 'Health', description: 'State of the service, from a background probe.' })
export class HealthDto {
  @ApiChoice(['ok', 'degraded'], { description: 'ok when every part works.', example: 'ok' })
  readonly status!: 'ok' | 'degraded';

  @ApiText({ description: 'Version of the service.', example: '0.1.0' })
  readonly version!: string;

  @ApiChoice(environments, { description: 'Deployment.', example: 'local' })
  readonly environment!: string;

  @ApiInteger({ description: 'Seconds since the start.', example: 3600 })
  readonly uptimeSeconds!: number;

  @ApiChoice(['off', 'enforce'], { description: 'Simulation before submission.', example: 'enforce' })
  readonly preflightMode!: 'off' | 'enforce';

  @ApiChoice(['on', 'off'], { description: 'Whether discover and prepare must be paid.', example: 'off' })
  readonly paymentEnforcement!: 'on' | 'off';

  @ApiObject(() => FreshnessDto, { description: 'Age of the ranking.' })
  readonly freshness!: FreshnessDto;

  @ApiProperty({
    type: 'object',
    additionalProperties: { $ref: getSchemaPath(ChainHealthDto) },
    description: 'The active chains by key.',
  })
  readonly chains!: Readonly<Record<string, ChainHealthDto>>;
}

@ApiSchema({ name: 'Ready', description: 'The service takes requests.' })
export class ReadyDto {
  @ApiConstant('ready', { description: 'Every part works.' })
  readonly status!: 'ready';
}
