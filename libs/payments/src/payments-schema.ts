import { settings } from '@yield-vault/chains';
import { z } from 'zod';
import { parseCdpSecret } from './adapters/authorize-cdp.js';

const { address, flag, positiveInteger, privateKey, textList, url, wholeNumber } = settings;

const price = z.strictObject({
  enabled: flag.default(true),
  priceUsd: z
    .string()
    .regex(/^\d+(\.\d+)?$/, 'must be a decimal number in quotes, like "0.01"')
    .default('0.01'),
});
const texts = textList().transform((entries) => entries.filter((entry) => entry !== ''));

// An empty environment variable counts as absent, so that one file serves both kinds.
const facilitator = z
  .strictObject({
    url: url.optional(),
    bearerToken: z.string().min(1).optional(),
    cdp: z.strictObject({ keyId: z.string().optional(), keySecret: z.string().optional() }).prefault({}),
    privateKey: privateKey.optional(),
  })
  .prefault({});

/** The `payments` section: prices of discover and prepare, the account that receives payments, the facilitator. */
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
  .transform((payments, context) => {
    const { mode, payTo, publicUrl, prices, ...limits } = payments;
    if (mode === 'off') return { mode };
    const refuse = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message });
    if (payTo === undefined) refuse('payTo', 'is required: the account that receives payments');
    if (publicUrl === undefined) refuse('publicUrl', 'is required: the public URL of the service');
    const { keyId, keySecret } = payments.facilitator.cdp;
    if ((keyId === undefined) !== (keySecret === undefined) || (keySecret && !parseCdpSecret(keySecret)))
      refuse(
        'facilitator',
        'needs both CDP_API_KEY_ID and CDP_API_KEY_SECRET; the secret is base64 (Ed25519), or a PEM (ES256)',
      );
    const chosen = chooseFacilitator(payments.facilitator);
    if (chosen === undefined)
      refuse(
        'facilitator',
        'needs either a url (FACILITATOR_URL) or a privateKey (FACILITATOR_PRIVATE_KEY), and not both',
      );
    if (payTo === undefined || publicUrl === undefined || chosen === undefined) return z.NEVER;
    const charged = Object.entries(prices).filter(([, { enabled }]) => enabled);
    const priceByRoute: { discover?: string; prepare?: string } = Object.fromEntries(
      charged.map(([name, { priceUsd }]) => [name, priceUsd]),
    );
    return {
      mode,
      payTo,
      publicUrl,
      prices: priceByRoute,
      ...limits,
      facilitator: chosen,
    };
  });

function chooseFacilitator(given: z.output<typeof facilitator>) {
  const { url, bearerToken, privateKey, cdp } = given;
  if ((url === undefined) === (privateKey === undefined)) return undefined;
  if (privateKey !== undefined) return { kind: 'embedded' as const, privateKey };
  const { keyId, keySecret } = cdp;
  return {
    kind: 'remote' as const,
    url: url!,
    ...(bearerToken !== undefined && { bearerToken }),
    ...(keyId !== undefined && keySecret !== undefined && { cdp: { keyId, keySecret } }),
  };
}
