import { Controller, Inject, Param, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { ForkRpcTarget } from '@yield-vault/forks';
import { ApiErrors, rawBodyOf, UnreadableBody } from '@yield-vault/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../../auth/public.decorator.js';
import { callerGone } from '../../http/caller-gone.js';
import { ApiRpcAnswers } from '../../openapi/api-rpc-answer.decorator.js';
import { examples } from '../../openapi/examples.js';
import type { RpcRoute } from '../../rpc/create-rpc-route.js';
import { tokens } from '../../tokens.js';
import { ApiForkId } from '../forks/api-fork-id.decorator.js';

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

const refused = 'The body is no JSON-RPC.';
const unavailable = 'The fork cannot be had now; see Retry-After.';

/** What wallets and bundlers call: no credential, and no method that commands the node. */
@Public()
@ApiTags('RPC')
@Controller('rpc')
export class RpcController {
  constructor(@Inject(tokens.rpc) private readonly route: RpcRoute) {}

  @Post('forks/:id')
  @ApiForkId()
  @ApiOperation({ summary: 'Plain JSON-RPC of a fork' })
  @ApiBody(body)
  @ApiRpcAnswers({ 200: 'Answers of the fork.', 400: refused, 404: 'No such fork.', 503: unavailable })
  @ApiErrors('rpc')
  callFork(
    @Param('id') forkId: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string | Uint8Array> {
    return this.#answer({ forkId }, request, reply);
  }

  @Post(':chain')
  @ApiParam({ name: 'chain', description: 'Chain key.', schema: { type: 'string' }, example: examples.chain })
  @ApiOperation({
    summary: 'Plain JSON-RPC of the persistent fork of a chain',
    description: 'The fork is created on first use. The address stays while the fork behind it is recreated.',
  })
  @ApiBody(body)
  @ApiRpcAnswers({ 200: 'Answers of the fork.', 400: refused, 404: 'No such chain.', 503: unavailable })
  @ApiErrors('rpc')
  callPersistentFork(
    @Param('chain') chain: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string | Uint8Array> {
    return this.#answer(chain, request, reply);
  }

  async #answer(
    target: ForkRpcTarget,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<string | Uint8Array> {
    if (request.body instanceof UnreadableBody) throw request.body.error;
    const { status, body, retryAfterSeconds } = await this.route(
      target,
      rawBodyOf(request),
      callerGone(reply),
    );
    // The deadline of the request may have answered meanwhile.
    if (reply.sent) return body;
    if (retryAfterSeconds !== undefined) void reply.header('retry-after', String(retryAfterSeconds));
    void reply.code(status).type('application/json; charset=utf-8');
    return body;
  }
}
