import { Body, Controller, HttpCode, Inject, Post } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { SetupRelayResponse } from '@yield-vault/protocol';
import { ApiErrors, OkResponse } from '@yield-vault/server';
import type { SetupRelay } from '@yield-vault/setup-relay';
import { Capacity } from '../../http/capacity.guard.js';
import { Client } from '../../http/client.js';
import { Limit } from '../../http/limit.decorator.js';
import { tokens } from '../../tokens.js';
import { SetupRelayRequestDto } from './setup-relay.dto.js';

@ApiTags('Relay')
@Controller('v1/yield')
export class SetupController {
  constructor(@Inject(tokens.setupRelay) private readonly relay: SetupRelay) {}

  @Post('setup-relay')
  @HttpCode(200)
  @Limit('setupRelay')
  @Capacity('setupRelay')
  @ApiOperation({
    summary: 'Relay a signed setup transaction',
    description:
      'Checks ticket and transaction, broadcasts, waits for the confirmations and verifies delegation and ' +
      'modules. The same transaction again returns the first response.',
  })
  @ApiBody({
    type: SetupRelayRequestDto,
    description: 'The ticket of prepare and the signed transaction; the example shows only their form.',
  })
  @OkResponse('SetupRelayResponse', { description: 'The wallet is set up.' })
  @ApiErrors(
    'post',
    'INVALID_PARAMETERS',
    'SETUP_TICKET_REJECTED',
    'SETUP_TRANSACTION_REJECTED',
    'ALREADY_SET_UP',
    'SETUP_TRANSACTION_REVERTED',
    'FORKS_NOT_CONFIGURED',
    'FORK_NOT_RUNNING',
    'FORK_CAPACITY',
    'TRANSACTION_PENDING',
    'UPSTREAM_UNAVAILABLE',
  )
  setupRelay(@Body() request: SetupRelayRequestDto, @Client() client: string): Promise<SetupRelayResponse> {
    return this.relay.relay(request, client);
  }
}
