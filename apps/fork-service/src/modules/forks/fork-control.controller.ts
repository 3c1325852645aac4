import { Body, Controller, HttpCode, Inject, Param, Post } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiErrors } from '@yield-vault/server';
import type { ForkRegistry } from '../../forks/create-fork-registry.js';
import { tokens } from '../../tokens.js';
import { ApiForkId, ApiRpcResponse } from '../../openapi/decorators.js';
import { respondToRpcCall, type RpcResponseBody } from './fork.mapper.js';
import { BalancesDto } from './fork.dto.js';
import { FundDto, RpcCallDto } from './requests.dto.js';

@ApiTags('Control')
@ApiBearerAuth()
@Controller('v1/forks/:id')
export class ForkControlController {
  constructor(@Inject(tokens.registry) private readonly registry: ForkRegistry) {}

  @Post('fund')
  @HttpCode(200)
  @ApiForkId()
  @ApiOperation({
    summary: 'Add to the balances of a wallet',
    description: 'Mints on the fork only. Concurrent calls add up.',
  })
  @ApiBody({ type: FundDto })
  @ApiOkResponse({ type: BalancesDto, description: 'The balances of the wallet.' })
  @ApiErrors('operatorPost', 'INVALID_PARAMETERS', 'NOT_FOUND', 'FORK_NOT_RUNNING', 'FUNDING_FAILED')
  async fundWallet(
    @Param('id') id: string,
    @Body() { address, ethWei, usdcBaseUnits }: FundDto,
  ): Promise<BalancesDto> {
    const fork = await this.registry.require(id);
    const amount = (digits: string | undefined) => (digits === undefined ? undefined : BigInt(digits));
    const balances = await fork.fund({
      address,
      ethWei: amount(ethWei),
      usdcBaseUnits: amount(usdcBaseUnits),
    });
    return { ethWei: balances.ethWei.toString(), usdcBaseUnits: balances.usdcBaseUnits.toString() };
  }

  @Post('rpc')
  @HttpCode(200)
  @ApiForkId()
  @ApiOperation({
    summary: 'Call any JSON-RPC method',
    description: 'Includes methods that control the node. An error of the method has status 200.',
  })
  @ApiBody({ type: RpcCallDto })
  @ApiRpcResponse('Result or error of the method.')
  @ApiErrors('operatorPost', 'INVALID_PARAMETERS', 'NOT_FOUND', 'FORK_NOT_RUNNING')
  async callMethod(@Param('id') id: string, @Body() call: RpcCallDto): Promise<RpcResponseBody> {
    return respondToRpcCall(await this.registry.require(id), call);
  }
}
