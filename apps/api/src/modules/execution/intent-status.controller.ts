import { Controller, Get, Inject, Param, Query, Res, UseGuards } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { ExecutionRelay } from '@yield-vault/execution-relay';
import type { IntentListResponse, IntentStatus } from '@yield-vault/protocol';
import { ApiErrors, EmptyQueryGuard, shortenTexts, OkResponse } from '@yield-vault/server';
import type { FastifyReply } from 'fastify';
import { Capacity } from '../../http/capacity.guard.js';
import { Limit } from '../../http/limit.decorator.js';
import { tokens } from '../../tokens.js';
import { IntentListRequestDto, IntentPathDto } from './intent-status.dto.js';

const finalStates: readonly string[] = ['confirmed', 'failed', 'expired'];

@ApiTags('Intents')
@Controller('v1/yield/intents')
export class IntentStatusController {
  constructor(@Inject(tokens.executionRelay) private readonly executionRelay: ExecutionRelay) {}

  @Get()
  @Limit('status')
  @ApiOperation({
    summary: 'Intents of a wallet',
    description:
      'The intents of a wallet that were submitted, newest first. Duplicates of an operation are left out. While ' +
      '`nextCursor` is not null, pass it as `cursor` for older ones; the archive is part of the list.',
  })
  @OkResponse('IntentListResponse', { description: 'The intents.' })
  @ApiErrors('get', 'INVALID_PARAMETERS', 'UPSTREAM_UNAVAILABLE')
  async listIntents(@Query() request: IntentListRequestDto): Promise<IntentListResponse> {
    const { intents, ...list } = await this.executionRelay.intents(request);
    return { ...list, intents: intents.map(shortenFailure) };
  }

  @Get(':intentId')
  @UseGuards(EmptyQueryGuard)
  @Limit('status')
  @Capacity('intentStatus')
  @ApiOperation({
    summary: 'State of an intent',
    description:
      'Poll it while the response carries Retry-After: its state is still open. An intent that was prepared and ' +
      'never executed, and the id of a setup ticket, are 404.',
  })
  @OkResponse('IntentStatus', {
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
  ): Promise<IntentStatus> {
    const intent = await this.executionRelay.intent(intentId);
    if (!finalStates.includes(intent.state)) void reply.header('retry-after', '1');
    return shortenFailure(intent);
  }
}

const shortenFailure = (intent: IntentStatus): IntentStatus => ({
  ...intent,
  failure: intent.failure && shortenTexts(intent.failure),
});
