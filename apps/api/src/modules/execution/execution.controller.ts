import { Body, Controller, HttpCode, Inject, Post } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiErrors } from '@yield-vault/server';
import { Capacity } from '../../http/capacity.guard.js';
import { Limit } from '../../http/limit.decorator.js';
import type { ExecutionRelayPort } from '../../ports.js';
import { tokens } from '../../tokens.js';
import { ExecuteRequestDto, ExecuteResponseDto } from './execute.dto.js';

@ApiTags('Intents')
@Controller('v1/yield')
export class ExecutionController {
  constructor(@Inject(tokens.executionRelay) private readonly executionRelay: ExecutionRelayPort) {}

  @Post('execute')
  @HttpCode(200)
  @Limit('execute')
  @Capacity('execute')
  @ApiOperation({
    summary: 'Relay a signed intent',
    description:
      'Checks the envelope and its signature, simulates it where preflight is enforced, submits the user operation once and waits for its receipt. ' +
      'The same intent again answers already_executed with the same hashes.',
  })
  @ApiBody({
    type: ExecuteRequestDto,
    description: 'The envelope of prepare and its signature; the example shows only their form.',
  })
  @ApiOkResponse({ type: ExecuteResponseDto, description: 'The intent is on chain.' })
  @ApiErrors(
    'post',
    'INVALID_PARAMETERS',
    'TRANSACTION_VALIDATION_FAILED',
    'PREFLIGHT_SIMULATION_FAILED',
    'TRANSACTION_SUBMISSION_FAILED',
    'TRANSACTION_PENDING',
    'FORKS_NOT_CONFIGURED',
    'FORK_NOT_RUNNING',
    'FORK_CAPACITY',
    'DATA_STALE',
    'UPSTREAM_UNAVAILABLE',
  )
  execute(@Body() request: ExecuteRequestDto): Promise<ExecuteResponseDto> {
    return this.executionRelay.execute(request);
  }
}
