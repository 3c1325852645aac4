import {
  capabilityVerdicts,
  type CapabilityVerdict,
  type VaultCapability,
  type VaultReport,
} from '@yield-vault/protocol';
import { ApiSchema } from '@nestjs/swagger';
import {
  ApiBaseUnits,
  ApiChoice,
  ApiInteger,
  ApiList,
  ApiObject,
  ApiObjectOrNull,
  ApiOrNull,
  ApiTexts,
  ApiTimestamp,
  digitsPattern,
  PatternField,
} from '@yield-vault/server';
import { examples } from '../../openapi/examples.js';
import { ExplanationDto } from './explanation.dto.js';
import { VaultSummaryDto } from './vault-summary.dto.js';

export class VaultPathDto {
  @PatternField({
    description: 'Id of the vault, from discover or the list.',
    pattern: digitsPattern,
    form: 'decimal digits',
    example: examples.vaultId,
  })
  readonly vaultId!: string;
}

@ApiSchema({ name: 'Gap', description: 'A time without a sample.' })
export class GapDto {
  @ApiTimestamp({ description: 'Last sample before it.', example: '2026-01-01T05:59:48.000Z' })
  readonly from!: string;

  @ApiTimestamp({ description: 'First sample after it.', example: '2026-01-01T11:59:48.000Z' })
  readonly until!: string;
}

const snapshotTime = { type: 'string', format: 'date-time' } as const;

@ApiSchema({ name: 'VaultData', description: 'What the numbers were computed from, and how old it is.' })
export class VaultDataDto {
  @ApiOrNull(snapshotTime, {
    description: 'Time of the oldest sample; null before the first.',
    example: '2025-11-26T12:00:00.000Z',
  })
  readonly firstSnapshotAt!: string | null;

  @ApiOrNull(snapshotTime, {
    description: 'Time of the newest sample; null before the first.',
    example: '2026-01-01T12:00:36.000Z',
  })
  readonly latestSnapshotAt!: string | null;

  @ApiOrNull(
    { type: 'integer' },
    {
      description: 'Seconds since the newest sample, as of this answer; null before the first.',
      example: 36,
    },
  )
  readonly ageSeconds!: number | null;

  @ApiOrNull(
    { type: 'integer' },
    { description: 'Block of the newest sample; null before the first.', example: 929 },
  )
  readonly blockNumber!: number | null;

  @ApiInteger({ description: 'Samples.', example: 773 })
  readonly snapshots!: number;

  @ApiInteger({ description: 'Those that the chart of an external service stands in for.', example: 0 })
  readonly externalSnapshots!: number;

  @ApiList(() => GapDto, {
    description: 'More than 2 hours without a sample within the last 31 days, newest first, at most 20.',
  })
  readonly gaps!: readonly GapDto[];

  @ApiTimestamp({ description: 'When the numbers were computed.', example: '2026-01-01T12:00:37.000Z' })
  readonly computedAt!: string;
}

@ApiSchema({ name: 'VaultCapability', description: 'The newest simulated deposit and redeem.' })
export class VaultCapabilityDto implements VaultCapability {
  @ApiChoice(capabilityVerdicts, { description: 'What it showed.', example: 'ok' })
  readonly verdict!: CapabilityVerdict;

  @ApiTimestamp({ description: 'When it was simulated.', example: '2026-01-01T11:40:12.000Z' })
  readonly checkedAt!: string;

  @ApiInteger({ description: 'Block on which.', example: 929 })
  readonly blockNumber!: number;

  @ApiOrNull(
    { type: 'string', enum: ['deposit', 'redeem'] },
    { description: 'The step that did not work; null when both did.', example: null },
  )
  readonly failedStep!: 'deposit' | 'redeem' | null;

  @ApiOrNull({ type: 'string' }, { description: 'Decoded revert reason; null without one.', example: null })
  readonly reason!: string | null;

  @ApiBaseUnits({ description: 'Base units of the asset that were deposited.', example: '10000000' })
  readonly assetsIn!: string;

  @ApiBaseUnits({ description: 'Base units of the share that came of it.', example: '9165549' })
  readonly sharesOut!: string;

  @ApiBaseUnits({ description: 'Base units of the asset that these shares paid.', example: '9999999' })
  readonly assetsOut!: string;
}

@ApiSchema({
  name: 'VaultReport',
  description: 'A vault with everything that its numbers were computed from.',
})
export class VaultReportDto extends VaultSummaryDto implements VaultReport {
  @ApiTexts({ description: 'Where the catalogue has the vault from.', example: ['registry'] })
  readonly sources!: readonly string[];

  @ApiObject(() => VaultDataDto, { description: 'The samples.' })
  readonly data!: VaultDataDto;

  @ApiObject(() => ExplanationDto, { description: 'How the numbers came about.' })
  readonly explanation!: ExplanationDto;

  @ApiObjectOrNull(VaultCapabilityDto, {
    description: 'Whether money gets in and out again; null before the first simulation.',
  })
  readonly capability!: VaultCapabilityDto | null;
}
