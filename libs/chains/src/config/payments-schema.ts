import { parseGwei, type Hex } from 'viem';
import { z } from 'zod';
import type { Deployment } from '../deployment.js';
import { address, flag, positiveInteger, splitAtCommas, url, wholeNumber } from './scalars.js';

const price = z.strictObject({
  enabled: flag.default(true),
  priceUsd: z
    .string()
    .regex(/^\d+(\.\d+)?$/, 'must be a decimal number in quotes, like "0.01"')
    .default('0.01'),
});
const privateKey = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/, 'must be a private key: 0x and 64 hex digits')
  .transform((text) => text as Hex);
const texts = z
  .union([z.array(z.string()), z.string().transform((text) => [text])])
  .transform(splitAtCommas)
  .transform((entries) => entries.filter((entry) => entry !== ''));

const gwei = z
  .string()
  .regex(/^\d+(\.\d{1,9})?$/, 'must be a decimal number in quotes, like "0.5"')
  .transform((text) => parseGwei(text))
  .pipe(z.bigint().min(1n, 'must be above zero'));

// What the environment leaves empty does not count, so that one file does for both modes.
const facilitator = z
  .strictObject({
    url: url.optional(),
    bearerToken: z.string().min(1).optional(),
    privateKey: privateKey.optional(),
    maxFeePerGasGwei: z.record(z.string(), gwei).default({}),
  })
  .prefault({});

type Facilitator = Extract<Deployment['payments'], { mode: 'on' }>['facilitator'];

/** Whether discover and prepare must be paid, and how. */
export const paymentsSchema = z
  .strictObject({
    mode: z.enum(['off', 'on']).default('off'),
    payTo: address.optional(),
    publicUrl: url.optional(),
    prices: z.strictObject({ discover: price.prefault({}), prepare: price.prefault({}) }).prefault({}),
    chains: texts.default([]),
    maxTimeoutSeconds: positiveInteger.default(120),
    facilitator,
    allowlist: texts.default([]),
    freeCallsPerDay: wholeNumber.default(0),
    maxInFlightPerPayer: positiveInteger.default(8),
  })
  .transform((payments, context): Deployment['payments'] => {
    const { mode, payTo, publicUrl, prices, ...limits } = payments;
    if (mode === 'off') return { mode };
    const refuse = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message });
    if (payTo === undefined) refuse('payTo', 'is required: the account that is paid');
    if (publicUrl === undefined)
      refuse('publicUrl', 'is required: the URL by which callers reach the service');
    const chosen = chooseFacilitator(payments.facilitator);
    if (chosen === undefined) refuse('facilitator', 'needs either a url or a privateKey');
    if (payTo === undefined || publicUrl === undefined || chosen === undefined) return z.NEVER;
    const charged = Object.entries(prices).filter(([, { enabled }]) => enabled);
    return {
      ...{ mode, payTo, publicUrl },
      prices: Object.fromEntries(charged.map(([name, { priceUsd }]) => [name, priceUsd])),
      ...limits,
      facilitator: chosen,
    };
  });

function chooseFacilitator(given: z.output<typeof facilitator>): Facilitator | undefined {
  const { url, bearerToken, privateKey, maxFeePerGasGwei: maxFeePerGas } = given;
  if ((url === undefined) === (privateKey === undefined)) return undefined;
  if (privateKey !== undefined) return { kind: 'embedded', privateKey, maxFeePerGas };
  return { kind: 'remote', url: url!, ...(bearerToken !== undefined && { bearerToken }) };
}
