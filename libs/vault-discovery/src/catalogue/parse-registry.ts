import { getAddress, isAddress } from 'viem';
import { z } from 'zod';
import { RegistryError } from '../errors.js';
import { riskWords } from '../metrics/risk.js';
import type { RegistryEntry, VaultFacts } from '../types.js';

const address = z
  .string()
  .refine((text) => isAddress(text, { strict: false }), 'must be an address')
  .transform((text) => getAddress(text));
const fraction = z.number().min(0).max(1);
const wholeNumber = z.int().min(0);
const words = z.array(z.string().min(1));
const word = <T extends object>(words: T) => z.enum(Object.keys(words) as [keyof T & string]);

const facts = z.strictObject({
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
const factName = z.enum(Object.keys(facts.shape) as [keyof VaultFacts]);
const evidence = z.strictObject({
  facts: z.array(factName).min(1),
  source: z.string().min(1),
  date: z.iso.date(),
});

const registry = z.strictObject({
  vaults: z.array(
    z.strictObject({
      chainId: z.int().positive(),
      chain: z.string().min(1),
      address,
      name: z.string().min(1),
      protocol: z.string().min(1),
      asset: z.strictObject({
        symbol: z.string().min(1),
        address,
        decimals: z.int().min(0).max(36),
      }),
      symbolAliases: words.optional(),
      status: z.enum(['active', 'candidate']).optional(),
      curatorName: z.string().min(1).optional(),
      firstSeen: z.iso.date().optional(),
      inceptBlock: wholeNumber.optional(),
      llamaPool: z.uuid().optional(),
      facts,
      evidence: z.array(evidence).optional(),
      flags: words,
      sources: words.default([]),
    }),
  ),
});

/**
 * Parse the content of a registry file.
 *
 * @throws {RegistryError} listing every problem, a vault that stands in it twice included
 */
export function parseRegistry(json: unknown): RegistryEntry[] {
  const parsed = registry.safeParse(json);
  if (!parsed.success)
    throw new RegistryError(
      parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'file'}: ${message}`),
    );
  const seen = new Set<string>();
  const twice = parsed.data.vaults.flatMap((vault) => {
    const key = `${vault.chainId} ${vault.address}`;
    const problem = seen.has(key)
      ? [`${vault.name}: ${vault.address} is listed twice on ${vault.chain}`]
      : [];
    seen.add(key);
    return problem;
  });
  if (twice.length > 0) throw new RegistryError(twice);
  return parsed.data.vaults;
}
