import type { IncomingMessage } from 'node:http';
import {
  BodyTooLargeError,
  invalidParameters,
  ServiceError,
  UnsupportedMediaTypeError,
} from '@yield-vault/protocol';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { findExceededJsonLimit } from './json-limits.js';

/** A body that could not be read. The pipe throws its error after the guards, so the request counts against the limits. */
export class UnreadableBody {
  constructor(readonly error: ServiceError) {}
}

const bytes = Symbol('bytes of the body');
type Received = FastifyRequest & { [bytes]?: Buffer | null };

/** The bytes of a request's JSON body; empty when it has none. */
export const rawBodyOf = (request: Received): Uint8Array => request[bytes] ?? new Uint8Array();

// Without `fatal`, invalid UTF-8 would silently become other text.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function parseJson(body: Buffer, maximumValues: number): unknown {
  const unreadable = (message: string) => new UnreadableBody(invalidParameters([{ field: 'body', message }]));
  if (body.length === 0) return unreadable('must be a JSON object, not empty');
  const exceeded = findExceededJsonLimit(body, maximumValues);
  if (exceeded !== undefined) return unreadable(exceeded);
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

type Done = (error: Error | null, body?: unknown) => void;

/** Read a body up to the limit; `undefined` when it is larger. */
function readBody(
  { headers }: FastifyRequest,
  payload: IncomingMessage,
  limitBytes: number,
  done: (error: Error | null, body?: Buffer) => void,
): void {
  if (Number(headers['content-length']) > limitBytes) return done(null);
  const chunks: Buffer[] = [];
  let length = 0;
  const end = (error: Error | null, body?: Buffer) => {
    payload.off('data', collect).off('end', finish).off('error', end);
    done(error, body);
  };
  const collect = (chunk: Buffer) => {
    length += chunk.length;
    chunks.push(chunk);
    if (length <= limitBytes) return;
    // Destroying the rest of the request would also cut off the response.
    payload.pause();
    end(null);
  };
  const finish = () => end(null, chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, length));
  payload.on('data', collect).on('end', finish).on('error', end);
}

export interface BodyLimits {
  readonly bodyLimitBytes: number;
  /** Most JSON values in a body; no limit when left out. */
  readonly jsonValueLimit?: number;
}

/** Accept only `application/json`, up to a limit. Fastify's own parsers respond before the guards run, and accept plain text. */
export function useJsonBodies(
  fastify: FastifyInstance,
  { bodyLimitBytes: limitBytes, jsonValueLimit = Infinity }: BodyLimits,
): void {
  const parser =
    (read: (request: FastifyRequest, body: Buffer) => unknown) =>
    (request: FastifyRequest, payload: IncomingMessage, done: Done) =>
      readBody(request, payload, limitBytes, (error, body) =>
        done(error, body === undefined ? tooLarge(limitBytes) : read(request, body)),
      );
  fastify.decorateRequest(bytes, null);
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser(
    'application/json',
    parser((request: Received, body) => {
      request[bytes] = body;
      const { 'content-encoding': encoding = 'identity' } = request.headers;
      return encoding.toLowerCase() === 'identity'
        ? parseJson(body, jsonValueLimit)
        : unsupported('The Content-Encoding of the body is not supported.');
    }),
  );
  fastify.addContentTypeParser(
    '*',
    parser(() => unsupported('The Content-Type of the body is not application/json.')),
  );
  // The client may still be sending the unread rest.
  fastify.addHook('onSend', ({ body }, reply, _payload, done) => {
    if (body instanceof UnreadableBody && body.error instanceof BodyTooLargeError)
      void reply.header('connection', 'close');
    done();
  });
}
