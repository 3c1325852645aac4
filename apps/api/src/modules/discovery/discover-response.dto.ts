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
  @ApiNumber('Over the last week.', 2.1) readonly week!: number;
  @ApiNumber('Over the last month.', 1.8) readonly month!: number;
}

@ApiSchema({ name: 'VaultCandidate', description: 'A vault that fits the request.' })
export class VaultCandidateDto implements VaultCandidate {
  @ApiBaseUnits('Stable id; pass it to prepare.', examples.vaultId) readonly vaultId!: string;
  @ApiAddress('Address of the vault contract.', examples.vaultAddress) readonly vaultAddress!: Address;
  @ApiText('Name of the vault.', examples.vaultName) readonly name!: string;
  @ApiText('Protocol that runs the vault.', examples.protocol) readonly protocol!: string;
  @ApiText('Symbol of the underlying asset.', 'USDC') readonly asset!: string;
  @ApiAddress('Address of the asset.', examples.usdc) readonly assetAddress!: Address;
  @ApiInteger('Decimals of the asset.', 6) readonly assetDecimals!: number;
  @ApiText('Chain key.', 'base') readonly chain!: string;
  @ApiObject(() => ApyDto, 'APY in percent.') readonly apy!: ApyDto;
  @ApiObject(() => RiskDto, 'Risk of the vault.') readonly risk!: RiskDto;
  @ApiObject(() => SharpeDto, 'Return for its variation.') readonly sharpe!: SharpeDto;
  @ApiNumber('Assets under management, in USD.', 1250000) readonly tvlUsd!: number;
  @ApiChoice(tiers, 'Class of the vault, prime first.', 'prime') readonly tier!: Tier;

  @ApiNumber('Ranking score from 0 to 100; the list is ordered by it.', 87.42)
  readonly compositeScore!: number;
}

@ApiSchema({ name: 'DiscoverResponse', description: 'The best vaults for the request, best first.' })
export class DiscoverResponseDto implements DiscoverResponse {
  @ApiText('Chain key.', 'base') readonly chain!: string;
  @ApiInteger('Chain id.', 8453) readonly chainId!: number;
  @ApiChoice(strategies, 'Preset that ordered the list.', 'balanced') readonly strategy!: Strategy;
  @ApiInteger('Length of the list; 0 when no vault fits.', 1) readonly count!: number;

  @ApiList(() => VaultCandidateDto, 'Ordered by compositeScore, highest first.')
  readonly vaults!: readonly VaultCandidateDto[];
}
