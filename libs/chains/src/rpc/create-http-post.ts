import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { isNamed } from '@yield-vault/protocol';
import { HttpRequestError } from 'viem';
import { z } from 'zod';
import { sendHttp, type HttpResponse } from './send-http.js';

// The logs of one full block of a fast chain.
const maxResponseBytes = 64 * 2 ** 20;
const decompress = promisify(gunzip);
const rpcErrorSchema = z.object({ error: z.object({ code: z.number(), message: z.string() }) });

type Body = NonNullable<ConstructorParameters<typeof HttpRequestError>[0]['body']>;

/**
 * Make a function that POSTs a body of JSON-RPC and parses the response. It fails as viem's own client does, which
 * takes three times as long because it uses `fetch`.
 *
 * @returns a function that throws `TimeoutError` after the deadline, and `HttpRequestError` for a response that is not
 *   JSON, or that has the HTTP status of an error and no error of JSON-RPC
 */
export function createHttpPost(address: string, timeoutMs: number): (body: Body) => Promise<unknown> {
  return async (body) => {
    try {
      const response = await sendHttp(address, {
        headers: { 'accept-encoding': 'gzip' },
        body: JSON.stringify(body),
        deadlineMs: timeoutMs,
        maxBytes: maxResponseBytes,
      });
      const { status, headers } = response;
      const text = await readText(response);
      const isOk = status >= 200 && status < 300;
      const json = parseJson(text, isOk);
      // Some nodes repeat an error of JSON-RPC as an HTTP status.
      if (isOk || rpcErrorSchema.safeParse(json).success) return json;
      const retryAfter = new Headers({ 'retry-after': String(headers['retry-after'] ?? '') });
      throw new HttpRequestError({ body, details: text, headers: retryAfter, status, url: address });
    } catch (error) {
      if (isNamed(error, 'TimeoutError') || isNamed(error, 'HttpRequestError')) throw error;
      throw new HttpRequestError({ body, cause: error as Error, url: address });
    }
  };
}

async function readText({ headers, body }: HttpResponse): Promise<string> {
  if (headers['content-encoding'] !== 'gzip') return body.toString();
  return (await decompress(body, { maxOutputLength: maxResponseBytes })).toString();
}

/** @throws {SyntaxError} for text that must be JSON and is not */
function parseJson(text: string, mustBe: boolean): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (mustBe) throw error;
    return undefined;
  }
}
