import { sha256, stringToBytes, type Hex } from 'viem';
import type { PaidRequest, Payment } from '../types.js';

/**
 * Tell one use of a payment from another: by the request, the terms and the signature. The signature itself binds no
 * request, so that without this a payment quoted for one resource would be good for any.
 */
export function fingerprintOf(
  { method, path, body }: Pick<PaidRequest, 'method' | 'path' | 'body'>,
  { terms, authorization, signature }: Payment,
): Hex {
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  const parts = [
    [method.toUpperCase(), path, sha256(body)],
    [terms.network, terms.chain.asset.address, terms.payTo, terms.amount],
    [from, to, value, validAfter, validBefore, nonce, signature],
  ];
  return sha256(
    stringToBytes(
      JSON.stringify(parts, (_, part: unknown) => (typeof part === 'bigint' ? String(part) : part)),
    ),
  );
}
