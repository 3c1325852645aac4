import { Body, Controller, Get, HttpCode, Inject, Post, Query } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { ActiveChains } from '@yield-vault/chains';
import type { IntentBuilder } from '@yield-vault/intent-builder';
import type { CallsResponse, PrepareResponse } from '@yield-vault/protocol';
import { ApiErrors, OkResponse, TakesQuery } from '@yield-vault/server';
import { examples } from '../../openapi/examples.js';
import { Capacity } from '../../http/capacity.guard.js';
import { Limit } from '../../http/limit.decorator.js';
import { tokens } from '../../tokens.js';
import { Priced } from '../../http/priced.decorator.js';
import { CallsRequestDto } from './calls-request.dto.js';
import { GaslessSetupRequestDto } from './gasless-setup.dto.js';
import { EnvelopeUserOperationDto, IntentSigningDto } from './intent-envelope.dto.js';
import { PrepareRequestDto, RebalanceSteeringDto } from './prepare-request.dto.js';

const prepareVariants = [
  'PrepareSetupResponse',
  'PrepareDepositResponse',
  'PrepareRedeemResponse',
  'PrepareRebalanceResponse',
] as const;

const { agentAddress, vaultId } = examples;

@ApiTags('Intents')
@ApiExtraModels(EnvelopeUserOperationDto, IntentSigningDto)
@Controller('v1/yield')
export class PrepareController {
  constructor(
    @Inject(tokens.chains) private readonly chains: ActiveChains,
    @Inject(tokens.intents) private readonly intents: IntentBuilder,
  ) {}

  @Post('prepare')
  @HttpCode(200)
  @TakesQuery(true)
  @Limit('prepare')
  @Capacity('prepare')
  @Priced('prepare')
  @ApiOperation({
    summary: 'Build a setup or an execution payload',
    description:
      'A wallet that is not set up gets the setup transaction to sign; one that is gets the intent to sign. ' +
      'Nothing is submitted. Two intents that are prepared before the first is executed share a nonce: only one of ' +
      'them can be included. Two identical ones are one intent. A rebalance moves the whole position: to the vault ' +
      'that the query names, or to the best one of the same asset by the preset and risk tolerance of the query, by ' +
      'default `balanced`. Only a rebalance takes a query.',
  })
  @ApiBody({
    type: PrepareRequestDto,
    examples: {
      deposit: {
        summary: 'Deposit 25 USDC on Base',
        value: { operation: 'deposit', chain: 'base', agentAddress, vaultId, asset: 'USDC', amount: '25' },
      },
      redeemHalf: {
        summary: 'Redeem half of a position',
        value: { operation: 'redeem', chain: 'base', agentAddress, vaultId, percentage: 50 },
      },
      redeemShares: {
        summary: 'Redeem a number of shares',
        value: { operation: 'redeem', chain: 'base', agentAddress, vaultId, shares: '1000000' },
      },
      rebalance: {
        summary: 'Move a position to the best vault',
        value: { operation: 'rebalance', chain: 'base', agentAddress, vaultId },
      },
    },
  })
  @OkResponse(prepareVariants, { description: 'The setup to sign, or the intent to sign.' })
  @ApiErrors(
    'post',
    'INVALID_PARAMETERS',
    'CHAIN_NOT_ACTIVE',
    'UNKNOWN_VAULT',
    'ASSET_MISMATCH',
    'VAULT_AT_CAPACITY',
    'DEPOSITS_PAUSED',
    'DEPOSIT_CAP_REACHED',
    'INSUFFICIENT_BALANCE',
    'NO_SUITABLE_VAULTS',
    'PREFLIGHT_SIMULATION_FAILED',
    'TRANSACTION_SUBMISSION_FAILED',
    'PAYMENT_REQUIRED',
    'PAYMENT_IN_USE',
    'FORKS_NOT_CONFIGURED',
    'DATA_STALE',
    'UPSTREAM_UNAVAILABLE',
  )
  prepare(
    @Body() request: PrepareRequestDto,
    @Query() steering: RebalanceSteeringDto,
  ): Promise<PrepareResponse> {
    this.chains.require(request.chain);
    return this.intents.prepare(request, steering);
  }

  @Post('gasless-setup')
  @HttpCode(200)
  @Limit('prepare')
  @Capacity('prepare')
  @Priced('gaslessSetup')
  @ApiOperation({
    summary: 'Build the deposit of a wallet without ether that is not set up',
    description:
      'Takes the signatures that `gaslessSetup` of prepare asks for, and returns the intent of a deposit that sets the ' +
      'wallet up too. Sign it and call execute. Nothing is submitted or stored before that.',
  })
  @ApiBody({
    type: GaslessSetupRequestDto,
    description: 'A deposit and the signatures of its wallet; the example shows only their form.',
  })
  @OkResponse('PrepareDepositResponse', { description: 'The intent to sign.' })
  @ApiErrors(
    'post',
    'INVALID_PARAMETERS',
    'CHAIN_NOT_ACTIVE',
    'UNKNOWN_VAULT',
    'ASSET_MISMATCH',
    'VAULT_AT_CAPACITY',
    'DEPOSITS_PAUSED',
    'DEPOSIT_CAP_REACHED',
    'INSUFFICIENT_BALANCE',
    'NO_SUITABLE_VAULTS',
    'SETUP_TRANSACTION_REJECTED',
    'ALREADY_SET_UP',
    'PREFLIGHT_SIMULATION_FAILED',
    'TRANSACTION_SUBMISSION_FAILED',
    'PAYMENT_REQUIRED',
    'PAYMENT_IN_USE',
    'FORKS_NOT_CONFIGURED',
    'DATA_STALE',
    'UPSTREAM_UNAVAILABLE',
  )
  gaslessSetup(@Body() request: GaslessSetupRequestDto): Promise<PrepareResponse> {
    this.chains.require(request.chain);
    return this.intents.gaslessSetup(request);
  }

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
