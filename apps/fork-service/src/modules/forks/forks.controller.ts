import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Post, Res } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiBody,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { ApiErrors } from '@yield-vault/server';
import type { FastifyReply } from 'fastify';
import type { ForkDesk } from '../../forks/create-fork-desk.js';
import { callerGone } from '../../http/caller-gone.js';
import { tokens } from '../../tokens.js';
import { ApiForkId } from './api-fork-id.decorator.js';
import { ForkDto, ForkListDto } from './fork.dto.js';
import { OpenForkDto } from './requests.dto.js';
import { toForkDto } from './to-fork-dto.js';

@ApiTags('Forks')
@ApiBearerAuth()
@Controller('v1/forks')
export class ForksController {
  constructor(@Inject(tokens.desk) private readonly desk: ForkDesk) {}

  @Post()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Get or create a fork',
    description:
      'persistent: the one of the chain, created and provisioned on first use. ephemeral: a new one at the newest ' +
      'block; it ends when it is deleted, or when nobody used it for some time.',
  })
  @ApiBody({ type: OpenForkDto })
  @ApiOkResponse({ type: ForkDto, description: 'The fork runs.' })
  @ApiErrors('operatorPost', 'INVALID_PARAMETERS', 'CHAIN_NOT_ACTIVE', 'FORK_CAPACITY', 'FORK_NOT_RUNNING')
  async openFork(
    @Body() { chain, kind }: OpenForkDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ForkDto> {
    return toForkDto(await this.desk.open(chain, kind, callerGone(reply)));
  }

  @Get()
  @ApiOperation({ summary: 'List the forks of this instance' })
  @ApiOkResponse({ type: ForkListDto, description: 'Those that run or start.' })
  @ApiErrors('operator')
  async listForks(): Promise<ForkListDto> {
    return { forks: (await this.desk.list()).map(toForkDto) };
  }

  @Get(':id')
  @ApiForkId()
  @ApiOperation({ summary: 'Look at a fork' })
  @ApiOkResponse({ type: ForkDto, description: 'The fork.' })
  @ApiErrors('operator', 'NOT_FOUND')
  async readFork(@Param('id') id: string): Promise<ForkDto> {
    return toForkDto(this.desk.show(await this.desk.require(id)));
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiForkId()
  @ApiOperation({
    summary: 'End a fork',
    description: 'What happened on it is gone. One that has ended is no error.',
  })
  @ApiNoContentResponse({ description: 'There is no such fork now.' })
  @ApiErrors('operator', 'NOT_FOUND')
  async endFork(@Param('id') id: string): Promise<void> {
    await this.desk.end(id);
  }
}
