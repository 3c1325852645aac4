import type { IncomingMessage } from 'node:http';
import { BodyTooLargeError, ServiceError, UnsupportedMediaTypeError } from '@yield-vault/protocol';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { invalidParameters } from './violation.js';

/** A body that could not be read. The pipe throws it, after the guards, so that it counts against the limits. */
export class UnreadableBody {
  constructor(readonly error: ServiceError) {}
}

const bodies = new WeakMap<FastifyRequest, Buffer>();

/** The JSON body of a request as it was received, byte for byte; empty when it had none. */
export function rawBodyOf(request: FastifyRequest): Uint8Array {
  return bodies.get(request) ?? new Uint8Array();
}

// Without `fatal`, bytes that are no UTF-8 would silently turn into other text.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function parseJson(body: Buffer): unknown {
  const unreadable = (message: string) => new UnreadableBody(invalidParameters([{ field: 'body', message }]));
  if (body.length === 0) return unreadable('must be a JSON object, not empty');
  try {
    return JSON.parse(utf8.decode(body));
  } catch {
    return unreadable('must be well-formed JSON in UTF-8');
  }
}

const unsupported = (detail: string) => new UnreadableBody(new UnsupportedMediaTypeError({ detail }));

const tooLarge = (limitBytes: number) =>
  new UnreadableBody(
    new BodyTooLargeError({
      detail: `The request body is larger than ${limitBytes} bytes.`,
      details: { limitBytes },
    }),
  );

/** Read a body; `undefined` once it is larger than the limit, what comes after is left unread. */
async function readBody(
  { headers }: FastifyRequest,
  payload: IncomingMessage,
  limitBytes: number,
): Promise<Buffer | undefined> {
  if (Number(headers['content-length']) > limitBytes) return undefined;
  const chunks: Buffer[] = [];
  let length = 0;
  // To destroy what is left of the request would cut off its answer, too.
  for await (const chunk of payload.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > limitBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}

/**
 * Accept `application/json` up to a limit only. Fastify's own parsers and limit are not used: they answer before the
 * guards run, and one of them takes plain text.
 */
export function useJsonBodies(fastify: FastifyInstance, limitBytes: number): void {
  const parser =
    (read: (request: FastifyRequest, body: Buffer) => unknown) =>
    async (request: FastifyRequest, payload: IncomingMessage) => {
      const body = await readBody(request, payload, limitBytes);
      return body === undefined ? tooLarge(limitBytes) : read(request, body);
    };
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser(
    'application/json',
    parser((request, body) => {
      bodies.set(request, body);
      const { 'content-encoding': encoding = 'identity' } = request.headers;
      return encoding.toLowerCase() === 'identity'
        ? parseJson(body)
        : unsupported('The Content-Encoding of the body is not supported.');
    }),
  );
  fastify.addContentTypeParser(
    '*',
    parser(() => unsupported('The Content-Type of the body is not application/json.')),
  );
  // The client may still be sending what is not read.
  fastify.addHook('onSend', ({ body }, reply, _payload, done) => {
    if (body instanceof UnreadableBody && body.error instanceof BodyTooLargeError)
      void reply.header('connection', 'close');
    done();
  });
}
