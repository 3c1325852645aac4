import type { ForkHealth } from '@yield-vault/forks';
import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { ApiChoice, ApiInteger, ApiText } from '@yield-vault/server';
import { serviceVersion } from '../../version.js';

@ApiSchema({ name: 'Health', description: 'How this instance is.' })
export class HealthDto implements ForkHealth {
  @ApiChoice(['healthy', 'degraded', 'unavailable'], {
    description: 'degraded: no room left, or a fork is failing. unavailable: no fork can be made.',
    example: 'healthy',
  })
  readonly status!: ForkHealth['status'];

  @ApiText({ description: 'Version of the service.', example: `fork-service/v${serviceVersion}` })
  readonly version!: string;

  @ApiText({ description: 'What the forks are; empty when it does not answer.', example: 'anvil/v1.7.1' })
  readonly backend!: string;

  @ApiInteger({ description: 'Forks that run or start.', example: 2 })
  readonly activeForks!: number;

  @ApiProperty({
    oneOf: [{ type: 'integer' }, { type: 'null' }],
    description: 'Most forks at the same time; null: no limit.',
    example: 32,
  })
  readonly maxForks!: number | null;
}
