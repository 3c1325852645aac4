import { getAddress, isAddress } from 'viem';
import { z } from 'zod';
import { riskWords } from '../metrics/risk.js';
import type { VaultFacts } from '../types.js';

export const addressSchema = z
  .string()
  .refine((text) => isAddress(text, { strict: false }), 'must be an address')
  .transform((text) => getAddress(text));
export const wordsSchema = z.array(z.string().min(1));

const fraction = z.number().min(0).max(1);
const wholeNumber = z.int().min(0);
const word = <T extends object>(words: T) => z.enum(Object.keys(words) as [keyof T & string]);

export const factsSchema = z.strictObject({
  admin: z.enum(['immutable', 'dao', 'timelock', 'multisig', 'eoa', 'other']).optional(),
  timelockSeconds: wholeNumber.optional(),
  audits: wholeNumber.optional(),
  curator: word(riskWords.curator).optional(),
  strategy: word(riskWords.strategy).optional(),
  assetClass: word(riskWords.assetClass).optional(),
  oracle: word(riskWords.oracle).optional(),
  top1Share: fraction.optional(),
  liquidity: fraction.optional(),
  lastIncident: z.iso.date().optional(),
});

const evidenceSchema = z.strictObject({
  facts: z.array(z.enum(Object.keys(factsSchema.shape) as [keyof VaultFacts])).min(1),
  source: z.string().min(1),
  date: z.iso.date(),
});

export const statusSchema = z.enum(['active', 'candidate']);

/** The content of a registry file. */
export const registrySchema = z.strictObject({
  vaults: z.array(
    z.strictObject({
      chainId: z.int().positive(),
      chain: z.string().min(1),
      address: addressSchema,
      name: z.string().min(1),
      protocol: z.string().min(1),
      asset: z.strictObject({
        symbol: z.string().min(1),
        address: addressSchema,
        decimals: z.int().min(0).max(36),
      }),
      symbolAliases: wordsSchema.optional(),
      status: statusSchema.optional(),
      reviewed: z.iso.date().optional(),
      curatorName: z.string().min(1).optional(),
      firstSeen: z.iso.date().optional(),
      inceptBlock: wholeNumber.optional(),
      llamaPool: z.uuid().optional(),
      facts: factsSchema,
      evidence: z.array(evidenceSchema).optional(),
      flags: wordsSchema,
      // Who says nothing else was written by hand.
      sources: wordsSchema.default(['registry']),
    }),
  ),
});
