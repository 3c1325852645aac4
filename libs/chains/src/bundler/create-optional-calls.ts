import { findError, isNamed, UpstreamUnavailableError } from '@yield-vault/protocol';
import type { z } from 'zod';
import type { JsonRpc } from '../rpc/create-json-rpc.js';
import type { UpstreamFailure } from '../rpc/upstream-failure.js';
import type { BundlerRejection } from './bundler-rejection.js';

const methodNotFound = -32601;
const probeAgainMs = 600_000;

/** Call an optional method; `undefined` where the bundler lacks it. */
export type OptionalCall = <T>(
  schema: z.ZodType<T>,
  method: string,
  params?: readonly unknown[],
) => Promise<T | undefined>;

/**
 * Make the calls of methods that a bundler may lack. Bundlers reject an unknown method with many codes, so any JSON-RPC
 * error means that the method is absent, until it has worked once. An absent method is tried again after ten minutes.
 *
 * @returns a function that throws `UpstreamUnavailableError` when the bundler gives no usable response
 */
export function createOptionalCalls(request: JsonRpc, dependency: string): OptionalCall {
  const present = new Set<string>();
  const absentUntil = new Map<string, number>();
  return async (schema, method, params) => {
    if ((absentUntil.get(method) ?? 0) > Date.now()) return undefined;
    try {
      const response = await request(schema, method, params);
      present.add(method);
      return response;
    } catch (error) {
      const refusal = asRpcRefusal(error);
      if (!refusal) throw error;
      const { bundlerCode } = refusal;
      if (present.has(method) && bundlerCode !== methodNotFound) {
        throw new UpstreamUnavailableError({
          detail: `${dependency}: ${method} fails with the JSON-RPC error ${bundlerCode}.`,
          details: { dependency },
          cause: error,
        });
      }
      absentUntil.set(method, Date.now() + probeAgainMs);
      return undefined;
    }
  };
}

/** Recognise that a bundler responded with a JSON-RPC error other than a rate limit, or with an HTTP 4xx of a gateway. */
export function asRpcRefusal(error: unknown): { readonly bundlerCode: number } | undefined {
  if (isNamed<BundlerRejection>(error, 'BundlerRejection')) return error;
  const reason = findError<UpstreamFailure>(error, 'UpstreamFailure')?.reason ?? '';
  const [, code] = /^JSON-RPC error (-\d+)|^HTTP status (40[0-7]|41\d)/.exec(reason) ?? [];
  return code === undefined ? undefined : { bundlerCode: Number(code) };
}
