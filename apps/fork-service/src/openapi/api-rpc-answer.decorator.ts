import { ApiResponse } from '@nestjs/swagger';

const error = { $ref: '#/components/schemas/Error' };

// `type` is left out where any JSON value may stand.
const answer = {
  type: 'object',
  required: ['jsonrpc', 'id'],
  properties: {
    jsonrpc: { type: 'string', enum: ['2.0'] },
    id: { description: 'That of the call.' },
    result: { description: 'What the method returned.' },
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

const answerOrBatch = { oneOf: [answer, { type: 'array', items: answer }] };

const json = (schema: object) => ({ 'application/json': { schema } });

/** Describe the answer to one JSON-RPC call. */
export const ApiRpcAnswer = (description: string) =>
  ApiResponse({ status: 200, description, content: json(answer) });

/** Describe the answers to JSON-RPC of a fork, by HTTP status. */
export const ApiRpcAnswers = (descriptions: Readonly<Record<number, string>>): MethodDecorator => {
  const decorators = Object.entries(descriptions).map(([status, description]) =>
    ApiResponse({
      status: Number(status),
      description,
      content: json(status === '200' ? answerOrBatch : { oneOf: [answer, error] }),
    }),
  );
  return (...target) => decorators.forEach((decorate) => decorate(...target));
};
