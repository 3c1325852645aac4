import { Controller, Get, Inject, Param, Query, Res, UseGuards } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ApiErrors, EmptyQueryGuard, hash32Pattern, shortenTexts } from '@yield-vault/server';
import type { FastifyReply } from 'fastify';
import { Limit } from '../../http/limit.decorator.js';
import { examples } from '../../openapi/examples.js';
import type { ExecutionRelayPort } from '../../ports.js';
import { tokens } from '../../tokens.js';
import { ExecuteResponseDto } from './execute.dto.js';
import {
  IntentFailureDto,
  IntentListRequestDto,
  IntentListResponseDto,
  IntentPathDto,
  IntentStatusDto,
} from './intent-status.dto.js';

const finalStates: readonly string[] = ['confirmed', 'failed', 'expired'];

@ApiTags('Intents')
@ApiExtraModels(ExecuteResponseDto, IntentFailureDto)
@Controller('v1/yield/intents')
export class IntentStatusController {
  constructor(@Inject(tokens.executionRelay) private readonly executionRelay: ExecutionRelayPort) {}

  @Get()
  @Limit('status')
  @ApiOperation({
    summary: 'Intents of a wallet',
    description: 'The intents of a wallet that were submitted, newest first.',
  })
  @ApiOkResponse({ type: IntentListResponseDto, description: 'The intents.' })
  @ApiErrors('get', 'INVALID_PARAMETERS', 'UPSTREAM_UNAVAILABLE')
  async listIntents(@Query() request: IntentListRequestDto): Promise<IntentListResponseDto> {
    const { intents, ...list } = await this.executionRelay.intents(request);
    return { ...list, intents: intents.map(shortenFailure) };
  }

  @Get(':intentId')
  @UseGuards(EmptyQueryGuard)
  @Limit('status')
  @ApiOperation({
    summary: 'State of an intent',
    description:
      'Poll it while the response carries Retry-After: its state is still open. An intent that was prepared and ' +
      'never executed, and the id of a setup ticket, are 404.',
  })
  @ApiParam({
    name: 'intentId',
    description: 'Id of the intent: its merkle root.',
    schema: { type: 'string', pattern: hash32Pattern.source, example: examples.hash32 },
  })
  @ApiOkResponse({
    type: IntentStatusDto,
    description: 'The intent.',
    headers: {
      'Retry-After': {
        description: 'Seconds until the next poll, while the state is open.',
        required: false,
        schema: { type: 'integer' },
      },
    },
  })
  @ApiErrors('get', 'INVALID_PARAMETERS', 'NOT_FOUND', 'UPSTREAM_UNAVAILABLE')
  async showIntent(
    @Param() { intentId }: IntentPathDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<IntentStatusDto> {
    const intent = await this.executionRelay.intent(intentId);
    if (!finalStates.includes(intent.state)) void reply.header('retry-after', '1');
    return shortenFailure(intent);
  }
}

const shortenFailure = (intent: IntentStatusDto): IntentStatusDto => ({
  ...intent,
  failure: intent.failure && shortenTexts(intent.failure),
});
