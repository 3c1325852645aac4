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
  @ApiText('Symbol.', 'USDC') readonly symbol!: string;
  @ApiAddress('Address of the token contract.', examples.usdc) readonly address!: Address;
  @ApiInteger('Decimals of its base units.', 6) readonly decimals!: number;
}

@ApiSchema({ name: 'CompositeScores', description: 'Ranking score from 0 to 100 by strategy.' })
export class CompositeScoresDto implements Record<Strategy, number> {
  @ApiNumber('Of maximize_apy.', 59.59) readonly maximize_apy!: number;
  @ApiNumber('Of minimize_risk.', 85.71) readonly minimize_risk!: number;
  @ApiNumber('Of balanced.', 71) readonly balanced!: number;
}

@ApiSchema({
  name: 'VaultSummary',
  description: 'A vault of the catalogue, whether discover names it or not.',
})
export class VaultSummaryDto implements VaultSummary {
  @ApiBaseUnits('Stable id.', examples.vaultId) readonly vaultId!: string;
  @ApiAddress('Address of the vault contract.', examples.vaultAddress) readonly vaultAddress!: string;
  @ApiText('Name of the vault.', examples.vaultName) readonly name!: string;
  @ApiText('Protocol that runs the vault.', examples.protocol) readonly protocol!: string;
  @ApiObject(() => AssetDto, 'What is deposited.') readonly asset!: AssetDto;
  @ApiText('Chain key.', 'base') readonly chain!: string;
  @ApiInteger('Chain id.', 8453) readonly chainId!: number;
  @ApiInteger('Decimals of the base units of its share.', 6) readonly shareDecimals!: number;
  @ApiObject(() => ApyDto, 'APY in percent.') readonly apy!: ApyDto;
  @ApiObject(() => RiskDto, 'Risk of the vault.') readonly risk!: RiskDto;
  @ApiObject(() => SharpeDto, 'Return for its variation.') readonly sharpe!: SharpeDto;
  @ApiNumber('Assets under management, in USD.', 183213107.07) readonly tvlUsd!: number;

  @ApiNumber('Assets for one share at the newest sample; 0 before the first.', 1.0862)
  readonly sharePrice!: number;

  @ApiChoice(tiers, 'Class of the vault, prime first.', 'prime') readonly tier!: Tier;

  @ApiObject(() => CompositeScoresDto, 'What discover orders by.')
  readonly compositeScores!: CompositeScoresDto;

  @ApiBoolean('Whether discover may name it.', true) readonly listed!: boolean;
  @ApiTexts('Why it is not listed; empty when it is.', []) readonly exclusions!: readonly string[];
  @ApiTexts('Warnings of the catalogue.', []) readonly flags!: readonly string[];
}

@ApiSchema({ name: 'VaultListResponse', description: 'A page of the catalogue.' })
export class VaultListResponseDto implements VaultListResponse {
  @ApiInteger('Vaults on this page.', 1) readonly count!: number;
  @ApiInteger('Vaults on all pages.', 1) readonly total!: number;

  @ApiOrNull('string', 'Pass it as cursor for the next page; null on the last one.', null)
  readonly nextCursor!: string | null;

  @ApiList(
    () => VaultSummaryDto,
    'Ordered by vaultId as an integer, so that pages stay where they are while numbers move.',
  )
  readonly vaults!: readonly VaultSummaryDto[];
}
