import {
  capabilityResults,
  type CapabilityResult,
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
  @ApiTimestamp('Last sample before it.', '2026-01-01T05:59:48.000Z') readonly from!: string;
  @ApiTimestamp('First sample after it.', '2026-01-01T11:59:48.000Z') readonly until!: string;
}

const snapshotTime = { type: 'string', format: 'date-time' } as const;

@ApiSchema({ name: 'VaultData', description: 'Inputs of the numbers, and their age.' })
export class VaultDataDto {
  @ApiOrNull(snapshotTime, 'Time of the oldest sample; null before the first.', '2025-11-26T12:00:00.000Z')
  readonly firstSnapshotAt!: string | null;

  @ApiOrNull(snapshotTime, 'Time of the newest sample; null before the first.', '2026-01-01T12:00:36.000Z')
  readonly latestSnapshotAt!: string | null;

  @ApiOrNull('integer', 'Seconds since the newest sample, as of this answer; null before the first.', 36)
  readonly ageSeconds!: number | null;

  @ApiOrNull('integer', 'Block of the newest sample; null before the first.', 929)
  readonly blockNumber!: number | null;

  @ApiInteger('Samples.', 773) readonly snapshots!: number;

  @ApiInteger('Those that the chart of an external service stands in for.', 0)
  readonly externalSnapshots!: number;

  @ApiList(
    () => GapDto,
    'More than 2 hours without a sample within the last 31 days, newest first, at most 20.',
  )
  readonly gaps!: readonly GapDto[];

  @ApiTimestamp('When the numbers were computed.', '2026-01-01T12:00:37.000Z') readonly computedAt!: string;
}

@ApiSchema({ name: 'VaultCapability', description: 'The newest simulated deposit and redeem.' })
export class VaultCapabilityDto implements VaultCapability {
  @ApiChoice(capabilityResults, 'What it showed.', 'ok') readonly verdict!: CapabilityResult;
  @ApiTimestamp('When it was simulated.', '2026-01-01T11:40:12.000Z') readonly checkedAt!: string;
  @ApiInteger('Block on which.', 929) readonly blockNumber!: number;

  @ApiOrNull(
    { type: 'string', enum: ['deposit', 'redeem'] },
    'The step that did not work; null when both did.',
    null,
  )
  readonly failedStep!: 'deposit' | 'redeem' | null;

  @ApiOrNull('string', 'Decoded revert reason; null without one.', null) readonly reason!: string | null;
  @ApiBaseUnits('Base units of the asset that were deposited.', '10000000') readonly assetsIn!: string;
  @ApiBaseUnits('Base units of the share that came of it.', '9165549') readonly sharesOut!: string;
  @ApiBaseUnits('Base units of the asset that these shares paid.', '9999999') readonly assetsOut!: string;
}

@ApiSchema({
  name: 'VaultReport',
  description: 'A vault with everything that its numbers were computed from.',
})
export class VaultReportDto extends VaultSummaryDto implements VaultReport {
  @ApiTexts('Where the catalogue has the vault from.', ['registry']) readonly sources!: readonly string[];
  @ApiObject(() => VaultDataDto, 'The samples.') readonly data!: VaultDataDto;
  @ApiObject(() => ExplanationDto, 'How the numbers came about.') readonly explanation!: ExplanationDto;

  @ApiObjectOrNull(
    VaultCapabilityDto,
    'Whether money gets in and out again; null before the first simulation.',
  )
  readonly capability!: VaultCapabilityDto | null;
}
