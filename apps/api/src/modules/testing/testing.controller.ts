import { Body, Controller, Get, HttpCode, Inject, Post, UseGuards } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { ActiveChains } from '@yield-vault/chains';
import type { Forks } from '@yield-vault/forks/client';
import type { ForkStatusResponse, FundWalletResponse } from '@yield-vault/protocol';
import { ApiErrors, EmptyQueryGuard, OkResponse } from '@yield-vault/server';
import { examples } from '../../openapi/examples.js';
import { Limit } from '../../http/limit.decorator.js';
import { tokens } from '../../tokens.js';
import { FundWalletRequestDto } from './fund-wallet.dto.js';

const { testWallet: walletAddress } = examples;

/** Tools for testing; a deployment that does not turn them on has no such routes. */
@ApiTags('Testing')
@Controller('v1/testing')
@Limit('testing')
export class TestingController {
  constructor(
    @Inject(tokens.chains) private readonly chains: ActiveChains,
    @Inject(tokens.forks) private readonly forks: Forks,
  ) {}

  @Post('fund-wallet')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Mint test balances',
    description:
      'Adds ETH and USDC to a wallet on the persistent fork of a chain, which is created on first use. No real ' +
      'tokens move. The caps hold for one call; repeated calls are allowed.',
  })
  @ApiBody({
    type: FundWalletRequestDto,
    examples: {
      both: {
        summary: '0.01 ETH and 25 USDC on Base',
        value: { chain: 'base', walletAddress, ethWei: '10000000000000000', usdcAmount: '25000000' },
      },
      usdc: {
        summary: '50 USDC on Ethereum',
        value: { chain: 'ethereum', walletAddress, usdcAmount: '50000000' },
      },
    },
  })
  @OkResponse('FundWalletResponse', { description: 'The wallet is funded.' })
  @ApiErrors(
    'post',
    'INVALID_PARAMETERS',
    'CHAIN_NOT_ACTIVE',
    'TESTING_CAP_EXCEEDED',
    'WALLET_NOT_ALLOWED',
    'FORKS_NOT_CONFIGURED',
    'FORK_NOT_RUNNING',
    'FORK_CAPACITY',
    'FUNDING_FAILED',
    'UPSTREAM_UNAVAILABLE',
  )
  fundWallet(@Body() request: FundWalletRequestDto): Promise<FundWalletResponse> {
    this.chains.require(request.chain);
    return this.forks.fundWallet(request);
  }

  @Get('fork-status')
  @UseGuards(EmptyQueryGuard)
  @ApiOperation({
    summary: 'State of the test forks',
    description:
      'The persistent fork of each chain, every active fork, and how well they do. Creates none, and responds ' +
      'while no fork can be made.',
  })
  @OkResponse('ForkStatusResponse', { description: 'State of the test forks.' })
  @ApiErrors('get', 'INVALID_PARAMETERS', 'UPSTREAM_UNAVAILABLE')
  forkStatus(): Promise<ForkStatusResponse> {
    return this.forks.forkStatus();
  }
}
