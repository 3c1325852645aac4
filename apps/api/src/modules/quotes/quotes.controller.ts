import { Controller, Get, Inject, Param, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { AlternativesResponse, VaultQuote } from '@yield-vault/protocol';
import { abortWhenCallerLeaves, ApiErrors, OkResponse } from '@yield-vault/server';
import type { Quotes } from '@yield-vault/vault-discovery';
import type { FastifyReply } from 'fastify';
import { Capacity } from '../../http/capacity.guard.js';
import { Limit } from '../../http/limit.decorator.js';
import { tokens } from '../../tokens.js';
import { throwNotFound } from '../discovery/vaults.controller.js';
import { VaultPathDto } from '../discovery/vaults-request.dto.js';
import { AlternativesQueryDto, QuoteQueryDto } from './quote-request.dto.js';

const errors = [
  'INVALID_PARAMETERS',
  'NOT_FOUND',
  'DATA_STALE',
  'FORKS_NOT_CONFIGURED',
  'UPSTREAM_UNAVAILABLE',
] as const;

@ApiTags('Discovery')
@Controller('v1/yield/vaults/:vaultId')
@Limit('status')
export class QuotesController {
  constructor(@Inject(tokens.quotes) private readonly quotes: Quotes) {}

  @Get('quote')
  @Capacity('quote')
  @ApiOperation({
    summary: 'Quote a deposit',
    description:
      'Simulates the deposit on the newest block, and an hour after it: shares, APY, exit, gas, and the APY that is left ' +
      'over the days. Nothing is sent or stored.',
  })
  @OkResponse('VaultQuote', { description: 'What the amount would earn.' })
  @ApiErrors('get', ...errors)
  quote(@Param() { vaultId }: VaultPathDto, @Query() query: QuoteQueryDto): Promise<VaultQuote> {
    return this.quotes.quote({ ...query, vaultId }).catch(throwNotFound);
  }

  @Get('alternatives')
  @Capacity('quote')
  @ApiOperation({
    summary: 'Decide whether to move a position',
    description:
      'Compares an amount that is in the vault with quotes of the best ranked vaults of its asset and chain, after the ' +
      'gas of the move and of both exits. Candidates are no riskier than the vault, unless riskTolerance says so.',
  })
  @OkResponse('AlternativesResponse', { description: 'The decision, with the quotes behind it.' })
  @ApiErrors('get', ...errors)
  alternatives(
    @Param() { vaultId }: VaultPathDto,
    @Query() query: AlternativesQueryDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AlternativesResponse> {
    return this.quotes.alternatives({ ...query, vaultId }, abortWhenCallerLeaves(reply)).catch(throwNotFound);
  }
}
