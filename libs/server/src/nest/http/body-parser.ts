import { ServiceError, UnsupportedMediaTypeError } from '@yield-vault/protocol';
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

/**
 * Accept `application/json` only. Fastify's own parsers are removed: they answer before the guards run, and
 * one of them takes plain text.
 */
export function useJsonBodies(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    bodies.set(request, body);
    const { 'content-encoding': encoding = 'identity' } = request.headers;
    done(
      null,
      encoding.toLowerCase() === 'identity'
        ? parseJson(body)
        : unsupported('The Content-Encoding of the body is not supported.'),
    );
  });
  fastify.addContentTypeParser<Buffer>('*', { parseAs: 'buffer' }, (_request, _body, done) =>
    done(null, unsupported('The Content-Type of the body is not application/json.')),
  );
}
