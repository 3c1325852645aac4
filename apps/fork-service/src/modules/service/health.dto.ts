import type { ForkHealth } from '@yield-vault/forks';
import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { ApiChoice, ApiInteger, ApiText } from '../../openapi/response-fields.js';
import { serviceVersion } from '../../version.js';

@ApiSchema({ name: 'Health', description: 'The state of this service.' })
export class HealthDto implements ForkHealth {
  @ApiChoice(
    ['healthy', 'degraded', 'unavailable'],
    'degraded: the limit is reached, or a fork failed. unavailable: no fork can be created.',
    'healthy',
  )
  readonly status!: ForkHealth['status'];

  @ApiText('Version of the service.', `fork-service/v${serviceVersion}`) readonly version!: string;
  @ApiText('Version of Anvil; empty when Anvil cannot be run.', 'anvil/v1.7.1') readonly backend!: string;
  @ApiInteger('Forks that run or start.', 2) readonly activeForks!: number;

  @ApiProperty({
    oneOf: [{ type: 'integer' }, { type: 'null' }],
    description: 'Most forks at a time; null when unknown.',
    example: 32,
  })
  readonly maxForks!: number | null;
}
