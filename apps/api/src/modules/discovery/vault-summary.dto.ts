import {
  tiers,
  type Asset,
  type Strategy,
  type Tier,
  type VaultListRequest,
  type VaultListResponse,
  type VaultSummary,
} from '@yield-vault/protocol';
import { ApiSchema } from '@nestjs/swagger';
import {
  ApiAddress,
  ApiBaseUnits,
  ApiBoolean,
  ApiChoice,
  ApiInteger,
  ApiList,
  ApiNumber,
  ApiObject,
  ApiOrNull,
  ApiText,
  ApiTexts,
  QueryFlagField,
  QueryIntegerField,
  TextField,
} from '@yield-vault/server';
import type { Address } from 'viem';
import { examples } from '../../openapi/examples.js';
import { SharpeDto } from './discover-response.dto.js';
import { ApyDto, RiskDto } from './vault.dto.js';

export class VaultListRequestDto implements VaultListRequest {
  @TextField({
    description: 'Key of an active chain. Left out: every active chain.',
    minLength: 1,
    optional: true,
  })
  readonly chain?: string;

  @TextField({
    description: 'Symbol of the underlying asset, in any case. Left out: all assets.',
    minLength: 1,
    optional: true,
  })
  readonly asset?: string;

  @QueryFlagField({
    description: 'Only vaults that discover may name (true), or only the others (false). Left out: both.',
    optional: true,
  })
  readonly listed?: boolean;

  @QueryIntegerField({ description: 'Vaults on a page at most.', minimum: 1, maximum: 100, default: 20 })
  readonly limit: number = 20;

  @TextField({
    description: '`nextCursor` of the page before, with the same filters. Left out: the first page.',
    minLength: 1,
    optional: true,
  })
  readonly cursor?: string;
}

@ApiSchema({ name: 'Asset', description: 'The underlying token of a vault.' })
export class AssetDto implements Asset {
  @ApiText({ description: 'Symbol.', example: 'USDC' })
  readonly symbol!: string;

  @ApiAddress({ description: 'Address of the token contract.', example: examples.usdc })
  readonly address!: Address;

  @ApiInteger({ description: 'Decimals of its base units.', example: 6 })
  readonly decimals!: number;
}

@ApiSchema({ name: 'CompositeScores', description: 'Ranking score from 0 to 100 by strategy.' })
export class CompositeScoresDto implements Record<Strategy, number> {
  @ApiNumber({ description: 'Of maximize_apy.', example: 59.59 })
  readonly maximize_apy!: number;

  @ApiNumber({ description: 'Of minimize_risk.', example: 85.71 })
  readonly minimize_risk!: number;

  @ApiNumber({ description: 'Of balanced.', example: 71 })
  readonly balanced!: number;
}

@ApiSchema({
  name: 'VaultSummary',
  description: 'A vault of the catalogue, whether discover names it or not.',
})
export class VaultSummaryDto implements VaultSummary {
  @ApiBaseUnits({ description: 'Stable id.', example: examples.vaultId })
  readonly vaultId!: string;

  @ApiAddress({ description: 'Address of the vault contract.', example: examples.vaultAddress })
  readonly vaultAddress!: string;

  @ApiText({ description: 'Name of the vault.', example: examples.vaultName })
  readonly name!: string;

  @ApiText({ description: 'Protocol that runs the vault.', example: examples.protocol })
  readonly protocol!: string;

  @ApiObject(() => AssetDto, { description: 'What is deposited.' })
  readonly asset!: AssetDto;

  @ApiText({ description: 'Chain key.', example: 'base' })
  readonly chain!: string;

  @ApiInteger({ description: 'Chain id.', example: 8453 })
  readonly chainId!: number;

  @ApiInteger({ description: 'Decimals of the base units of its share.', example: 6 })
  readonly shareDecimals!: number;

  @ApiObject(() => ApyDto, { description: 'APY in percent.' })
  readonly apy!: ApyDto;

  @ApiObject(() => RiskDto, { description: 'Risk of the vault.' })
  readonly risk!: RiskDto;

  @ApiObject(() => SharpeDto, { description: 'Return for its variation.' })
  readonly sharpe!: SharpeDto;

  @ApiNumber({ description: 'Assets under management, in USD.', example: 183213107.07 })
  readonly tvlUsd!: number;

  @ApiNumber({
    description: 'Assets for one share at the newest sample; 0 before the first.',
    example: 1.0862,
  })
  readonly sharePrice!: number;

  @ApiChoice(tiers, { description: 'Class of the vault, prime first.', example: 'prime' })
  readonly tier!: Tier;

  @ApiObject(() => CompositeScoresDto, { description: 'What discover orders by.' })
  readonly compositeScores!: CompositeScoresDto;

  @ApiBoolean({ description: 'Whether discover may name it.', example: true })
  readonly listed!: boolean;

  @ApiTexts({ description: 'Why it is not listed; empty when it is.', example: [] })
  readonly exclusions!: readonly string[];

  @ApiTexts({ description: 'Warnings of the catalogue.', example: [] })
  readonly flags!: readonly string[];
}

@ApiSchema({ name: 'VaultListResponse', description: 'A page of the catalogue.' })
export class VaultListResponseDto implements VaultListResponse {
  @ApiInteger({ description: 'Vaults on this page.', example: 1 })
  readonly count!: number;

  @ApiInteger({ description: 'Vaults on all pages.', example: 1 })
  readonly total!: number;

  @ApiOrNull(
    { type: 'string' },
    { description: 'Pass it as cursor for the next page; null on the last one.', example: null },
  )
  readonly nextCursor!: string | null;

  @ApiList(() => VaultSummaryDto, {
    description: 'Ordered by vaultId as an integer, so that pages stay where they are while numbers move.',
  })
  readonly vaults!: readonly VaultSummaryDto[];
}
