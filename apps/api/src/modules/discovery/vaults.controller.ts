import { Controller, Get, Inject, Param, Query, UseGuards } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { NotFoundError, UnknownVaultError } from '@yield-vault/protocol';
import { ApiErrors, digitsPattern, EmptyQueryGuard } from '@yield-vault/server';
import { examples } from '../../openapi/examples.js';
import type { DiscoveryPort } from '../../ports.js';
import { Limit } from '../../http/limit.decorator.js';
import { tokens } from '../../tokens.js';
import { PriceSampleDto } from './explanation.dto.js';
import { VaultCapabilityDto, VaultPathDto, VaultReportDto } from './vault-report.dto.js';
import { VaultListRequestDto, VaultListResponseDto } from './vault-summary.dto.js';

@ApiTags('Discovery')
@ApiExtraModels(PriceSampleDto, VaultCapabilityDto)
@Controller('v1/yield/vaults')
export class VaultsController {
  constructor(@Inject(tokens.discovery) private readonly discovery: DiscoveryPort) {}

  @Get()
  @Limit('history')
  @ApiOperation({
    summary: 'The catalogue, page by page',
    description:
      'Every vault that is watched, also those that discover does not name, with the reasons why not.',
  })
  @ApiOkResponse({ type: VaultListResponseDto, description: 'A page of the catalogue.' })
  @ApiErrors('get', 'INVALID_PARAMETERS', 'CHAIN_NOT_ACTIVE', 'DATA_STALE', 'UPSTREAM_UNAVAILABLE')
  listVaults(@Query() request: VaultListRequestDto): VaultListResponseDto {
    return this.discovery.page(request);
  }

  @Get(':vaultId')
  @UseGuards(EmptyQueryGuard)
  @Limit('history')
  @ApiOperation({
    summary: 'Explain the numbers of a vault',
    description:
      'Every input, factor, weight and floor behind APY, risk and composite score, the age of the data, and whether ' +
      'a simulated deposit came out again. With docs/metrics.md each score can be recomputed by hand.',
  })
  @ApiParam({
    name: 'vaultId',
    description: 'Id of the vault, from discover or the list.',
    schema: { type: 'string', pattern: digitsPattern.source, example: examples.vaultId },
  })
  @ApiOkResponse({ type: VaultReportDto, description: 'The vault and the computation of its numbers.' })
  @ApiErrors('get', 'INVALID_PARAMETERS', 'NOT_FOUND', 'DATA_STALE', 'UPSTREAM_UNAVAILABLE')
  explainVault(@Param() { vaultId }: VaultPathDto): Promise<VaultReportDto> {
    return this.discovery.explain(vaultId).catch((error: unknown) => {
      if (!(error instanceof UnknownVaultError)) throw error;
      const { detail, details, nextAction } = error;
      throw new NotFoundError({ detail, details, nextAction, cause: error });
    });
  }
}
