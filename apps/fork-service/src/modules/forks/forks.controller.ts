import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Post, Res } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiBody,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { abortWhenCallerLeaves, ApiErrors } from '@yield-vault/server';
import type { FastifyReply } from 'fastify';
import type { ForkRegistry } from '../../forks/create-fork-registry.js';
import { tokens } from '../../tokens.js';
import { ApiForkId } from '../../openapi/decorators.js';
import { ForkDto, ForkListDto } from './fork.dto.js';
import { OpenForkDto } from './requests.dto.js';
import { toForkDto } from './fork.mapper.js';

@ApiTags('Forks')
@ApiBearerAuth()
@Controller('v1/forks')
export class ForksController {
  constructor(@Inject(tokens.registry) private readonly registry: ForkRegistry) {}

  @Post()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Get or create a fork',
    description:
      'persistent: the persistent fork of the chain, created and provisioned on first use. ephemeral: a new fork at ' +
      'the newest block, which lives until it is deleted or idle for some time.',
  })
  @ApiBody({ type: OpenForkDto })
  @ApiOkResponse({ type: ForkDto, description: 'The fork runs.' })
  @ApiErrors('operatorPost', 'INVALID_PARAMETERS', 'CHAIN_NOT_ACTIVE', 'FORK_CAPACITY', 'FORK_NOT_RUNNING')
  async openFork(
    @Body() { chain, kind }: OpenForkDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ForkDto> {
    return toForkDto(await this.registry.open(chain, kind, abortWhenCallerLeaves(reply)));
  }

  @Get()
  @ApiOperation({ summary: 'List the forks' })
  @ApiOkResponse({ type: ForkListDto, description: 'Forks that run or start.' })
  @ApiErrors('operator')
  async listForks(): Promise<ForkListDto> {
    return { forks: (await this.registry.list()).map(toForkDto) };
  }

  @Get(':id')
  @ApiForkId()
  @ApiOperation({ summary: 'Read a fork' })
  @ApiOkResponse({ type: ForkDto, description: 'The fork.' })
  @ApiErrors('operator', 'NOT_FOUND')
  async readFork(@Param('id') id: string): Promise<ForkDto> {
    return toForkDto(await this.registry.require(id));
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiForkId()
  @ApiOperation({
    summary: 'Destroy a fork',
    description: 'Its state is lost. A fork that was destroyed already is no error.',
  })
  @ApiNoContentResponse({ description: 'The fork does not exist any more.' })
  @ApiErrors('operator', 'NOT_FOUND')
  async destroyFork(@Param('id') id: string): Promise<void> {
    await this.registry.destroy(id);
  }
}
