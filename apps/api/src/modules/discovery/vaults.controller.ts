import { Controller, Get, Inject, Param, Query, UseGuards } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  NotFoundError,
  UnknownVaultError,
  type VaultListResponse,
  type VaultReport,
} from '@yield-vault/protocol';
import { ApiErrors, EmptyQueryGuard, OkResponse } from '@yield-vault/server';
import type { VaultDiscovery } from '@yield-vault/vault-discovery';
import { Limit } from '../../http/limit.decorator.js';
import { tokens } from '../../tokens.js';
import { VaultListRequestDto, VaultPathDto } from './vaults-request.dto.js';

@ApiTags('Discovery')
@Controller('v1/yield/vaults')
export class VaultsController {
  constructor(@Inject(tokens.discovery) private readonly discovery: VaultDiscovery) {}

  @Get()
  @Limit('history')
  @ApiOperation({
    summary: 'The catalogue, page by page',
    description:
      'Every vault that is watched, also those that discover does not name, with the reasons why not.',
  })
  @OkResponse('VaultListResponse', { description: 'A page of the catalogue.' })
  @ApiErrors('get', 'INVALID_PARAMETERS', 'CHAIN_NOT_ACTIVE', 'DATA_STALE', 'UPSTREAM_UNAVAILABLE')
  listVaults(@Query() request: VaultListRequestDto): VaultListResponse {
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
  @OkResponse('VaultReport', {
    description: 'The vault and the computation of its numbers.',
  })
  @ApiErrors('get', 'INVALID_PARAMETERS', 'NOT_FOUND', 'DATA_STALE', 'UPSTREAM_UNAVAILABLE')
  explainVault(@Param() { vaultId }: VaultPathDto): Promise<VaultReport> {
    return this.discovery.explain(vaultId).catch(throwNotFound);
  }
}

/** Report an unknown vault as 404, because the path names it. */
export function throwNotFound(error: unknown): never {
  if (!(error instanceof UnknownVaultError)) throw error;
  const { detail, details, nextAction } = error;
  throw new NotFoundError({ detail, details, nextAction, cause: error });
}
