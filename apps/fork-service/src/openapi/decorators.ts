import { ApiParam, ApiResponse } from '@nestjs/swagger';
import { examples } from './examples.js';

const error = { $ref: '#/components/schemas/Error' };

// No `type` where any JSON value is possible.
const response = {
  type: 'object',
  required: ['jsonrpc', 'id'],
  properties: {
    jsonrpc: { type: 'string', enum: ['2.0'] },
    id: { description: 'The id of the call.' },
    result: { description: 'The result of the method.' },
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: {
        code: { type: 'integer' },
        message: { type: 'string' },
        data: { description: 'Often the revert data.' },
      },
    },
  },
  example: { jsonrpc: '2.0', id: 1, result: '0x2105' },
};

const responseOrBatch = { oneOf: [response, { type: 'array', items: response }] };

const json = (schema: object) => ({ 'application/json': { schema } });

/** Describe the response to one JSON-RPC call. */
export const ApiRpcResponse = (description: string) =>
  ApiResponse({ status: 200, description, content: json(response) });

/** Describe the responses to plain JSON-RPC, by HTTP status. */
export const ApiRpcResponses = (descriptions: Readonly<Record<number, string>>): MethodDecorator => {
  const decorators = Object.entries(descriptions).map(([status, description]) =>
    ApiResponse({
      status: Number(status),
      description,
      content: json(status === '200' ? responseOrBatch : { oneOf: [response, error] }),
    }),
  );
  return (...target) => decorators.forEach((decorate) => decorate(...target));
};

/** Describe the fork id in the path. */
export const ApiForkId = () =>
  ApiParam({
    name: 'id',
    description: 'Id of the fork.',
    schema: { type: 'string' },
    example: examples.forkId,
  });
