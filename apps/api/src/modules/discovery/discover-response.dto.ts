import {
  strategies,
  tiers,
  type DiscoverResponse,
  type Sharpe,
  type Strategy,
  type Tier,
  type VaultCandidate,
} from '@yield-vault/protocol';
import { ApiSchema } from '@nestjs/swagger';
import {
  ApiAddress,
  ApiBaseUnits,
  ApiChoice,
  ApiInteger,
  ApiList,
  ApiNumber,
  ApiObject,
  ApiText,
} from '@yield-vault/server';
import type { Address } from 'viem';
import { examples } from '../../openapi/examples.js';
import { ApyDto, RiskDto } from './vault.dto.js';

@ApiSchema({ name: 'Sharpe', description: 'Sharpe ratio of the share price.' })
export class SharpeDto implements Sharpe {
  @ApiNumber({ description: 'Over the last week.', example: 2.1 })
  readonly week!: number;

  @ApiNumber({ description: 'Over the last month.', example: 1.8 })
  readonly month!: number;
}

@ApiSchema({ name: 'VaultCandidate', description: 'A vault that fits the request.' })
export class VaultCandidateDto implements VaultCandidate {
  @ApiBaseUnits({ description: 'Stable id; pass it to prepare.', example: examples.vaultId })
  readonly vaultId!: string;

  @ApiAddress({ description: 'Address of the vault contract.', example: examples.vaultAddress })
  readonly vaultAddress!: Address;

  @ApiText({ description: 'Name of the vault.', example: examples.vaultName })
  readonly name!: string;

  @ApiText({ description: 'Protocol that runs the vault.', example: examples.protocol })
  readonly protocol!: string;

  @ApiText({ description: 'Symbol of the underlying asset.', example: 'USDC' })
  readonly asset!: string;

  @ApiText({ description: 'Chain key.', example: 'base' })
  readonly chain!: string;

  @ApiObject(() => ApyDto, { description: 'APY in percent.' })
  readonly apy!: ApyDto;

  @ApiObject(() => RiskDto, { description: 'Risk of the vault.' })
  readonly risk!: RiskDto;

  @ApiObject(() => SharpeDto, { description: 'Return for its variation.' })
  readonly sharpe!: SharpeDto;

  @ApiNumber({ description: 'Assets under management, in USD.', example: 1250000 })
  readonly tvlUsd!: number;

  @ApiChoice(tiers, { description: 'Class of the vault, prime first.', example: 'prime' })
  readonly tier!: Tier;

  @ApiNumber({ description: 'Ranking score from 0 to 100; the list is ordered by it.', example: 87.42 })
  readonly compositeScore!: number;
}

@ApiSchema({ name: 'DiscoverResponse', description: 'The best vaults for the request, best first.' })
export class DiscoverResponseDto implements DiscoverResponse {
  @ApiText({ description: 'Chain key.', example: 'base' })
  readonly chain!: string;

  @ApiInteger({ description: 'Chain id.', example: 8453 })
  readonly chainId!: number;

  @ApiChoice(strategies, { description: 'Preset that ordered the list.', example: 'balanced' })
  readonly strategy!: Strategy;

  @ApiInteger({ description: 'Length of the list; 0 when no vault fits.', example: 1 })
  readonly count!: number;

  @ApiList(() => VaultCandidateDto, { description: 'Ordered by compositeScore, highest first.' })
  readonly vaults!: readonly VaultCandidateDto[];
}
