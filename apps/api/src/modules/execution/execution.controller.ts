import { Body, Controller, HttpCode, Inject, Post } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { ExecutionRelay } from '@yield-vault/execution-relay';
import type { ExecuteResponse } from '@yield-vault/protocol';
import { ApiErrors, OkResponse } from '@yield-vault/server';
import { Capacity } from '../../http/capacity.guard.js';
import { Client } from '../../http/client.js';
import { Limit } from '../../http/limit.decorator.js';
import { tokens } from '../../tokens.js';
import { ExecuteRequestDto } from './execute.dto.js';

@ApiTags('Intents')
@Controller('v1/yield')
export class ExecutionController {
  constructor(@Inject(tokens.executionRelay) private readonly executionRelay: ExecutionRelay) {}

  @Post('execute')
  @HttpCode(200)
  @Limit('execute')
  @Capacity('execute')
  @ApiOperation({
    summary: 'Relay a signed intent',
    description:
      'Checks the envelope and its signature, simulates it where preflight is enforced, submits the user operation once and waits for its receipt. ' +
      'The same intent again returns already_executed with the same hashes, and so does another intent of the same operation. ' +
      'When too many calls wait, or the wallet has too many open intents, the response is TRANSACTION_PENDING at once.',
  })
  @ApiBody({
    type: ExecuteRequestDto,
    description: 'The envelope of prepare and its signature; the example shows only their form.',
  })
  @OkResponse('ExecuteResponse', { description: 'The intent is on chain.' })
  @ApiErrors(
    'post',
    'INVALID_PARAMETERS',
    'TRANSACTION_VALIDATION_FAILED',
    'DEPOSITS_PAUSED',
    'DEPOSIT_CAP_REACHED',
    'PREFLIGHT_SIMULATION_FAILED',
    'TRANSACTION_SUBMISSION_FAILED',
    'TRANSACTION_PENDING',
    'FORKS_NOT_CONFIGURED',
    'FORK_NOT_RUNNING',
    'FORK_CAPACITY',
    'DATA_STALE',
    'UPSTREAM_UNAVAILABLE',
  )
  execute(@Body() request: ExecuteRequestDto, @Client() client: string): Promise<ExecuteResponse> {
    return this.executionRelay.execute(request, client);
  }
}
