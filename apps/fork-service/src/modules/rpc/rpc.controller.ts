import { Controller, Inject, Param, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { ForkRpcTarget } from '@yield-vault/forks/server';
import { abortWhenCallerLeaves, ApiErrors, rawBodyOf, UnreadableBody } from '@yield-vault/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../../auth/credential.guard.js';
import { ApiForkId, ApiRpcResponses } from '../../openapi/decorators.js';
import { examples } from '../../openapi/examples.js';
import type { RpcRoute } from './create-rpc-route.js';
import { tokens } from '../../tokens.js';

const body = {
  description: 'One JSON-RPC call, or a batch of them.',
  schema: {
    oneOf: [
      { type: 'object', additionalProperties: true },
      { type: 'array', items: { type: 'object', additionalProperties: true } },
    ],
    example: { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] },
  },
};

const refused = 'The body is not JSON-RPC.';
const unavailable = 'The fork is not available; see Retry-After.';

/** JSON-RPC for wallets and bundlers: no credential, and no methods that control the node. */
@Public()
@ApiTags('RPC')
@Controller('rpc')
export class RpcController {
  constructor(@Inject(tokens.rpc) private readonly route: RpcRoute) {}

  @Post('forks/:id')
  @ApiForkId()
  @ApiOperation({ summary: 'Plain JSON-RPC of a fork' })
  @ApiBody(body)
  @ApiRpcResponses({
    200: 'The responses of the fork.',
    400: refused,
    404: 'No such fork.',
    503: unavailable,
  })
  @ApiErrors('rpc')
  callFork(
    @Param('id') forkId: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string | Uint8Array> {
    return this.#respond({ forkId }, request, reply);
  }

  @Post(':chain')
  @ApiParam({ name: 'chain', description: 'Chain key.', schema: { type: 'string' }, example: examples.chain })
  @ApiOperation({
    summary: 'Plain JSON-RPC of the persistent fork of a chain',
    description: 'The fork is created on first use. The address stays the same while the fork is recreated.',
  })
  @ApiBody(body)
  @ApiRpcResponses({
    200: 'The responses of the fork.',
    400: refused,
    404: 'No such chain.',
    503: unavailable,
  })
  @ApiErrors('rpc')
  callPersistentFork(
    @Param('chain') chain: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string | Uint8Array> {
    return this.#respond(chain, request, reply);
  }

  async #respond(
    target: ForkRpcTarget,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<string | Uint8Array> {
    if (request.body instanceof UnreadableBody) throw request.body.error;
    const { status, body, retryAfterSeconds } = await this.route(
      target,
      rawBodyOf(request),
      abortWhenCallerLeaves(reply),
    );
    // The request may have reached its deadline meanwhile.
    if (reply.sent) return body;
    if (retryAfterSeconds !== undefined) void reply.header('retry-after', String(retryAfterSeconds));
    void reply.code(status).type('application/json; charset=utf-8');
    return body;
  }
}
