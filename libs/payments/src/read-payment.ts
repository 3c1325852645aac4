import { sameHex } from '@yield-vault/protocol';
import { getAddress, isAddress, sha256, stringToBytes, type Hex } from 'viem';
import { z } from 'zod';
import { ranOut } from './adapters/reasons.js';
import type { PaymentKey } from './ports.js';
import {
  paymentHeaders,
  type PaidRequest,
  type Payment,
  type PaymentTerms,
  type PricedResource,
} from './types.js';

/** Shortest remaining validity: the handler must run and the transfer must be mined. */
export const leastSeconds = 10;
/** Largest accepted lead of a payer's clock. */
export const skewSeconds = 30;

/** Result of reading the payment headers of a request. */
export type PaymentReading =
  | { readonly kind: 'none' }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'payment'; readonly payment: Payment };

const uint = z
  .string()
  .regex(/^(0|[1-9]\d{0,77})$/)
  .transform(BigInt)
  .refine((value) => value < 1n << 256n);
const address = z
  .string()
  .refine((text) => isAddress(text, { strict: false }))
  .transform((text) => getAddress(text));
const hex = z
  .string()
  .regex(/^0x([0-9a-f]{2})+$/i)
  .transform((text) => text.toLowerCase() as Hex);
const exact = z.object({
  signature: hex,
  authorization: z.object({
    from: address,
    to: address,
    value: uint,
    validAfter: uint,
    validBefore: uint,
    nonce: hex.refine((text) => text.length === 66),
  }),
});
// Not strict: payloads also carry extensions and fields of other schemes.
const payloadV1 = z.object({
  x402Version: z.literal(1),
  scheme: z.string(),
  network: z.string(),
  payload: z.unknown(),
});
const payloadV2 = z.object({
  x402Version: z.literal(2),
  accepted: z.object({
    scheme: z.string(),
    network: z.string(),
    amount: z.string(),
    asset: z.string(),
    payTo: z.string(),
  }),
  payload: z.unknown(),
});

/**
 * Read the payment of a request and match it with the terms of the resource. Sends no request.
 *
 * @param header - reads a header by name
 */
export function readPayment(
  header: (name: string) => string | undefined,
  { terms }: PricedResource,
  maxHeaderBytes = 8_192,
): PaymentReading {
  const attached = paymentHeaders.filter((name) => header(name) !== undefined);
  const [name] = attached;
  if (name === undefined) return { kind: 'none' };
  // Two payments are ambiguous.
  if (attached.length > 1) return refused('invalid_payload');
  const text = header(name) ?? '';
  if (text.length > maxHeaderBytes) return refused('payment_header_too_large');

  const json = decode(text);
  const version = (json as { x402Version?: unknown } | null)?.x402Version;
  const isKnownVersion = version === 2 || (version === 1 && name === 'X-PAYMENT');
  if (!isKnownVersion) return refused(version === undefined ? 'invalid_payload' : 'invalid_x402_version');

  const match = version === 1 ? matchV1(json, terms) : matchV2(json, terms);
  if ('reason' in match) return refused(match.reason);
  const parsed = exact.safeParse(match.payload);
  if (!parsed.success) return refused('invalid_payload');
  const { authorization, signature } = parsed.data;
  const reason = mismatch(authorization, match.terms);
  if (reason !== undefined) return refused(reason);
  const payment = { version, header: name, terms: match.terms, authorization, signature } as const;
  return { kind: 'payment', payment };
}

/**
 * Check the validity period of an authorization. A period much longer than the terms require is refused,
 * because the ledger would have to keep it that long.
 *
 * @param nowMs - Unix milliseconds
 * @returns the reason for a refusal
 */
export function checkWindow({ authorization, terms }: Payment, nowMs: number): string | undefined {
  const now = BigInt(Math.floor(nowMs / 1000));
  const { validAfter, validBefore } = authorization;
  const latest = now + BigInt(terms.maxTimeoutSeconds + skewSeconds);
  if (validBefore < now + BigInt(leastSeconds) || validBefore > latest) return ranOut;
  return validAfter > now ? 'invalid_exact_evm_payload_authorization_valid_after' : undefined;
}

/**
 * Hash the request, the terms and the signature. The signature does not cover the request, so without this hash a
 * payment for one resource would buy any other.
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
  const json = JSON.stringify(parts, (_, part: unknown) => (typeof part === 'bigint' ? String(part) : part));
  return sha256(stringToBytes(json));
}

/** Identify a payment in the ledger. */
export function keyOf({ terms, authorization }: Payment): PaymentKey {
  const { from: payer, nonce } = authorization;
  return { chainId: terms.chain.chainId, asset: terms.chain.asset.address, payer, nonce };
}

/**
 * The terms that the ledger stores to find the transfer of a payment. A far expiry counts only up to twice the allowed
 * validity: verification refuses it anyway.
 */
export function termsOf({ terms, authorization: { value, validBefore } }: Payment, nowMs: number) {
  const latest = BigInt(Math.ceil(nowMs / 1_000) + 2 * terms.maxTimeoutSeconds);
  return { payTo: terms.payTo, amount: value, validBefore: validBefore < latest ? validBefore : latest };
}

type Match = { readonly terms: PaymentTerms; readonly payload: unknown } | { readonly reason: string };

function matchV1(json: unknown, terms: readonly PaymentTerms[]): Match {
  const parsed = payloadV1.safeParse(json);
  if (!parsed.success) return { reason: 'invalid_payload' };
  const { scheme, network, payload } = parsed.data;
  if (scheme !== 'exact') return { reason: 'invalid_scheme' };
  const found = terms.find(({ chain }) => chain.v1Network === network);
  return found ? { terms: found, payload } : { reason: 'invalid_network' };
}

function matchV2(json: unknown, terms: readonly PaymentTerms[]): Match {
  const parsed = payloadV2.safeParse(json);
  if (!parsed.success) return { reason: 'invalid_payload' };
  const { accepted, payload } = parsed.data;
  if (accepted.scheme !== 'exact') return { reason: 'invalid_scheme' };
  const found = terms.find(({ network }) => network === accepted.network);
  if (!found) return { reason: 'invalid_network' };
  const isOurs =
    accepted.amount === String(found.amount) &&
    sameHex(accepted.asset, found.chain.asset.address) &&
    sameHex(accepted.payTo, found.payTo);
  return isOurs ? { terms: found, payload } : { reason: 'invalid_payment_requirements' };
}

function mismatch({ to, value }: Payment['authorization'], terms: PaymentTerms): string | undefined {
  if (!sameHex(to, terms.payTo)) return 'invalid_exact_evm_recipient_mismatch';
  if (value !== terms.amount) return 'invalid_exact_evm_payload_authorization_value_mismatch';
  return undefined;
}

function decode(text: string): unknown {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined;
  try {
    return JSON.parse(Buffer.from(text, 'base64').toString('utf8'));
  } catch {
    return undefined;
  }
}

function refused(reason: string): PaymentReading {
  return { kind: 'refused', reason };
}
