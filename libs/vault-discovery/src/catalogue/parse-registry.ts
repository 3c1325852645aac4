import { ConfigError, type VaultReward } from '@yield-vault/protocol';
import { getAddress, isAddress } from 'viem';
import { z } from 'zod';
import { riskWords } from '@yield-vault/vault-metrics';
import { notOffered } from './catalogue-source.js';

const addressSchema = z
  .string()
  .refine((text) => isAddress(text, { strict: false }), 'must be an address')
  .transform((text) => getAddress(text));
// Pages and terminals show it, so it holds nothing invisible.
const shownText = z
  .string()
  .regex(/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]{1,64}$/u, 'must have 1 to 64 printable characters');
/** Whether a text of others can be shown. */
export const isShown = (text: string | undefined): boolean => shownText.safeParse(text).success;
const wordsSchema = z.array(z.string().min(1));

const fraction = z.number().min(0).max(1);
const wholeNumber = z.int().min(0);
const word = <T extends object>(words: T) => z.enum(Object.keys(words) as [keyof T & string]);

/** Reviewed facts about a vault; absent means unknown. Shares are fractions of 1. */
const factsSchema = z.strictObject({
  admin: z.enum(['immutable', 'dao', 'timelock', 'multisig', 'eoa']).optional(),
  timelockSeconds: wholeNumber.optional(),
  audits: wholeNumber.optional(),
  curator: word(riskWords.curator).optional(),
  strategy: word(riskWords.strategy).optional(),
  assetClass: word(riskWords.assetClass).optional(),
  oracle: word(riskWords.oracle).optional(),
  top1Share: fraction.optional(),
  // Date of the last loss or exploit.
  lastIncident: z.iso.date().optional(),
});
export type VaultFacts = Readonly<z.infer<typeof factsSchema>>;

/** The public source of some facts, and when it was read. */
const evidenceSchema = z.strictObject({
  facts: z.array(z.enum(Object.keys(factsSchema.shape) as [keyof VaultFacts])).min(1),
  source: z.string().min(1),
  date: z.iso.date(),
});
export type FactEvidence = DeepReadonly<z.infer<typeof evidenceSchema>>;

// A candidate is known and not offered.
const statusSchema = z.enum(['active', 'candidate']);

/** The content of a registry file. */
const registrySchema = z.strictObject({
  vaults: z.array(
    z.strictObject({
      chainId: z.int().positive(),
      chain: z.string().min(1),
      address: addressSchema,
      name: shownText,
      protocol: shownText,
      asset: z.strictObject({
        symbol: shownText,
        address: addressSchema,
        decimals: z.int().min(0).max(36),
      }),
      // Symbols of the asset on chain that differ from `asset.symbol`.
      symbolAliases: wordsSchema.optional(),
      // Active by default.
      status: statusSchema.optional(),
      // Selections of vaults that a deployment may offer alone, e.g. `core`.
      profiles: wordsSchema.optional(),
      // Date of the last review.
      reviewed: z.iso.date().optional(),
      curatorName: shownText.optional(),
      firstSeen: z.iso.date().optional(),
      inceptBlock: wholeNumber.optional(),
      // Id of its pool at DeFiLlama.
      llamaPool: z.uuid().optional(),
      facts: factsSchema,
      evidence: z.array(evidenceSchema).optional(),
      flags: wordsSchema,
      // Entries without sources were written by hand.
      sources: wordsSchema.default(['registry']),
    }),
  ),
});

/** An entry of the catalogue. */
export type RegistryEntry = DeepReadonly<z.infer<typeof registrySchema>['vaults'][number]> & {
  /** From sources alone; ended campaigns may be among them. */
  readonly rewards?: readonly VaultReward[];
};

type DeepReadonly<T> = T extends object ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> } : T;

const source = 'The vault registry';

/**
 * Offer the vaults of one profile. The others stay known, so that their holders can redeem.
 *
 * @throws {ConfigError} when no vault has the profile
 */
export function selectProfile(registry: readonly RegistryEntry[], profile: string): readonly RegistryEntry[] {
  const isMember = ({ profiles }: RegistryEntry) => profiles?.includes(profile);
  if (!registry.some(isMember))
    throw new ConfigError(source, [
      `no vault has the profile ${profile}; set discovery.profile to off to offer all`,
    ]);
  return registry.map((entry) =>
    isMember(entry) ? entry : { ...entry, flags: [...entry.flags, notOffered] },
  );
}

/**
 * Parse the content of a registry file.
 *
 * @throws {ConfigError} listing every problem, including duplicate vaults
 *
 * @example
 * parseRegistry(JSON.parse(readFileSync('registry.json', 'utf8')));
 */
export function parseRegistry(json: unknown): RegistryEntry[] {
  const parsed = registrySchema.safeParse(json);
  if (!parsed.success)
    throw new ConfigError(
      source,
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
  if (twice.length > 0) throw new ConfigError(source, twice);
  return parsed.data.vaults;
}
