import { Controller, Get, Inject, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { ActiveChains } from '@yield-vault/chains';
import type { IntentBuilder } from '@yield-vault/intent-builder';
import type { CallsResponse } from '@yield-vault/protocol';
import { ApiErrors, OkResponse } from '@yield-vault/server';
import { Capacity } from '../../http/capacity.guard.js';
import { Limit } from '../../http/limit.decorator.js';
import { Priced } from '../../http/priced.decorator.js';
import { tokens } from '../../tokens.js';
import { CallsRequestDto } from './calls-request.dto.js';

@ApiTags('Intents')
@Controller('v1/yield')
export class CallsController {
  constructor(
    @Inject(tokens.chains) private readonly chains: ActiveChains,
    @Inject(tokens.intents) private readonly intents: IntentBuilder,
  ) {}

  @Get('calls')
  @Limit('prepare')
  @Capacity('prepare')
  @Priced('calls')
  @ApiOperation({
    summary: 'Build unsigned calls for any wallet',
    description:
      'A deposit or redeem as plain calls, in the form of `wallet_sendCalls` (EIP-5792). An EOA sends them one after the ' +
      'other, a Safe or another contract as a batch. The wallet needs no setup and pays for gas itself. One call of a ' +
      'stateless router enforces `minOut` on chain; payer and receiver are the wallet. The calls are simulated first. ' +
      'Nothing is relayed or stored.',
  })
  @OkResponse('CallsResponse', { description: 'The calls, in their order.' })
  @ApiErrors(
    'get',
    'INVALID_PARAMETERS',
    'CHAIN_NOT_ACTIVE',
    'UNKNOWN_VAULT',
    'VAULT_AT_CAPACITY',
    'DEPOSITS_PAUSED',
    'DEPOSIT_CAP_REACHED',
    'INSUFFICIENT_BALANCE',
    'NO_SUITABLE_VAULTS',
    'PREFLIGHT_SIMULATION_FAILED',
    'PAYMENT_REQUIRED',
    'PAYMENT_IN_USE',
    'FORKS_NOT_CONFIGURED',
    'DATA_STALE',
    'UPSTREAM_UNAVAILABLE',
  )
  calls(@Query() request: CallsRequestDto): Promise<CallsResponse> {
    this.chains.require(request.chain);
    return this.intents.calls(request);
  }
}
