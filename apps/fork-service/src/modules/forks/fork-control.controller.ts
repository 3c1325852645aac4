import { Body, Controller, HttpCode, Inject, Param, Post, UseInterceptors } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiBody,
  ApiExtraModels,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import { ApiErrors } from '@yield-vault/server';
import type { ForkRegistry } from '../../forks/create-fork-registry.js';
import { RefusedCallInterceptor } from '../../forks/refused-call.interceptor.js';
import { tokens } from '../../tokens.js';
import { ApiForkId, ApiRpcResponse } from '../../openapi/decorators.js';
import { respondToRpcCall, type RpcResponseBody, toSentTransactionDto } from './fork.mapper.js';
import { BalancesDto, LogDto, RevertDto, SentTransactionDto, SnapshotDto } from './fork.dto.js';
import { FundDto, IncreaseTimeDto, MineDto, RpcCallDto, TransactionDto } from './requests.dto.js';

@ApiTags('Control')
@ApiBearerAuth()
@ApiExtraModels(LogDto)
@Controller('v1/forks/:id')
@UseInterceptors(RefusedCallInterceptor)
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
    const balances = await fork.fund({
      address,
      ...(ethWei !== undefined && { ethWei: BigInt(ethWei) }),
      ...(usdcBaseUnits !== undefined && { usdcBaseUnits: BigInt(usdcBaseUnits) }),
    });
    return { ethWei: balances.ethWei.toString(), usdcBaseUnits: balances.usdcBaseUnits.toString() };
  }

  @Post('transactions')
  @HttpCode(200)
  @ApiForkId()
  @ApiOperation({
    summary: 'Send a transaction from any account',
    description: 'Waits until the transaction is mined. A reverted transaction is not an error.',
  })
  @ApiBody({ type: TransactionDto })
  @ApiOkResponse({ type: SentTransactionDto, description: 'The mined transaction.' })
  @ApiErrors('operatorPost', 'INVALID_PARAMETERS', 'NOT_FOUND', 'FORK_NOT_RUNNING')
  async sendTransaction(
    @Param('id') id: string,
    @Body() { from, to, data, value, gas }: TransactionDto,
  ): Promise<SentTransactionDto> {
    const fork = await this.registry.require(id);
    const sent = await fork.sendAs({
      from,
      to,
      ...(data !== undefined && { data }),
      ...(value !== undefined && { value: BigInt(value) }),
      ...(gas !== undefined && { gas: BigInt(gas) }),
    });
    return toSentTransactionDto(sent);
  }

  @Post('snapshots')
  @HttpCode(200)
  @ApiForkId()
  @ApiOperation({ summary: 'Take a snapshot' })
  @ApiOkResponse({ type: SnapshotDto, description: 'The id of the snapshot.' })
  @ApiErrors('operatorPost', 'NOT_FOUND', 'FORK_NOT_RUNNING')
  async takeSnapshot(@Param('id') id: string): Promise<SnapshotDto> {
    const fork = await this.registry.require(id);
    return { snapshotId: await fork.snapshot() };
  }

  @Post('snapshots/:snapshotId/revert')
  @HttpCode(200)
  @ApiForkId()
  @ApiParam({
    name: 'snapshotId',
    description: 'Id of the snapshot.',
    schema: { type: 'string' },
    example: '0x1',
  })
  @ApiOperation({
    summary: 'Revert a fork to a snapshot',
    description: 'The snapshot and every later one cannot be used again.',
  })
  @ApiOkResponse({ type: RevertDto, description: 'Whether the snapshot existed.' })
  @ApiErrors('operatorPost', 'INVALID_PARAMETERS', 'NOT_FOUND', 'FORK_NOT_RUNNING')
  async revertToSnapshot(
    @Param('id') id: string,
    @Param('snapshotId') snapshotId: string,
  ): Promise<RevertDto> {
    const fork = await this.registry.require(id);
    return { reverted: await fork.revert(snapshotId) };
  }

  @Post('time')
  @HttpCode(204)
  @ApiForkId()
  @ApiOperation({ summary: 'Move the clock forward', description: 'Mines a block at the new time.' })
  @ApiBody({ type: IncreaseTimeDto })
  @ApiNoContentResponse({ description: 'The newest block has the new time.' })
  @ApiErrors('operatorPost', 'INVALID_PARAMETERS', 'NOT_FOUND', 'FORK_NOT_RUNNING')
  async increaseTime(@Param('id') id: string, @Body() { seconds }: IncreaseTimeDto): Promise<void> {
    const fork = await this.registry.require(id);
    await fork.increaseTime(seconds);
  }

  @Post('blocks')
  @HttpCode(204)
  @ApiForkId()
  @ApiOperation({ summary: 'Mine empty blocks' })
  @ApiBody({ type: MineDto })
  @ApiNoContentResponse({ description: 'The blocks are mined.' })
  @ApiErrors('operatorPost', 'INVALID_PARAMETERS', 'NOT_FOUND', 'FORK_NOT_RUNNING')
  async mineBlocks(@Param('id') id: string, @Body() { count }: MineDto): Promise<void> {
    const fork = await this.registry.require(id);
    await fork.mine(count);
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
