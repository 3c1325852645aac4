import { z } from 'zod';
import assetFile from './data/assets.json' with { type: 'json' };
import protocolFile from './data/protocols.json' with { type: 'json' };
import vaultFile from './data/vaults.json' with { type: 'json' };
import type { FactEvidence, RegistryEntry, VaultFacts } from '../types.js';
import { addressSchema, factsSchema, parseRegistry, statusSchema, wordsSchema } from './parse-registry.js';

/** Facts with their source. A later block overrides an earlier one. */
const factBlock = z.strictObject({
  /** Every chain when left out. */
  chainIds: z.array(z.int()).optional(),
  facts: factsSchema,
  source: z.string().min(1),
  date: z.iso.date(),
});
type FactBlock = z.infer<typeof factBlock>;

const assetsSchema = z.strictObject({
  assets: z.array(
    z.strictObject({
      chainId: z.int(),
      address: addressSchema,
      symbol: z.string(),
      decimals: z.int(),
      symbolAliases: wordsSchema,
      assetClass: factsSchema.shape.assetClass.unwrap(),
      reason: z.string(),
      source: z.string(),
      date: z.iso.date(),
    }),
  ),
});
const protocolsSchema = z.strictObject({
  protocols: z.record(z.string(), z.strictObject({ protocol: z.string(), facts: z.array(factBlock) })),
  curators: z.record(z.string(), z.strictObject({ name: z.string(), facts: z.array(factBlock) })),
});
const vaultsSchema = z.strictObject({
  /** When the list was collected and reviewed. */
  collected: z.iso.date(),
  sources: z.record(z.string(), z.string()),
  vaults: z.array(
    z.strictObject({
      chainId: z.int(),
      address: z.string(),
      name: z.string(),
      protocol: z.string(),
      asset: addressSchema,
      status: statusSchema,
      curators: wordsSchema.default([]),
      firstSeen: z.iso.date().optional(),
      inceptBlock: z.int().optional(),
      facts: z.array(factBlock).default([]),
      flags: wordsSchema,
      sources: wordsSchema.min(1),
      /** For reviewers of the file. */
      note: z.string().optional(),
    }),
  ),
});
type ShippedVault = z.infer<typeof vaultsSchema>['vaults'][number];

const chainKeys: Readonly<Record<number, string>> = { 1: 'ethereum', 8453: 'base' };

let whole: readonly RegistryEntry[] | undefined;

/**
 * List the reviewed vaults of Ethereum and Base. With `candidates`, also vaults that are known and not offered.
 *
 * @example
 * createVaultDiscovery({ chains, database, registry: shippedRegistry(), options });
 */
export function shippedRegistry({ candidates = false } = {}): readonly RegistryEntry[] {
  whole ??= compose();
  return candidates ? whole : whole.filter(({ status }) => status === 'active');
}

function compose(): readonly RegistryEntry[] {
  const { assets } = assetsSchema.parse(assetFile);
  const { protocols, curators } = protocolsSchema.parse(protocolFile);
  const { collected, sources, vaults } = vaultsSchema.parse(vaultFile);

  const toEntry = (vault: ShippedVault): unknown => {
    const asset = assets.find(({ chainId, address }) => chainId === vault.chainId && address === vault.asset);
    if (!asset) throw new Error(`${vault.name}: unknown asset ${vault.asset}`);
    const { protocol, facts: ofProtocol } = known(protocols, vault.protocol);
    const people = vault.curators.map((key) => known(curators, key));
    // One unknown curator among several makes the facts unknown.
    const ofCurators = people.every(({ facts }) => facts.length > 0)
      ? people.flatMap(({ facts }) => facts)
      : [];
    const ofAsset = { ...asset, facts: { assetClass: asset.assetClass } };
    return {
      chainId: vault.chainId,
      chain: chainKeys[vault.chainId],
      address: vault.address,
      name: vault.name,
      protocol,
      asset: { symbol: asset.symbol, address: asset.address, decimals: asset.decimals },
      ...(asset.symbolAliases.length > 0 && { symbolAliases: asset.symbolAliases }),
      status: vault.status,
      ...(vault.status === 'active' && { reviewed: collected }),
      ...(people.length > 0 && { curatorName: people.map(({ name }) => name).join(', ') }),
      firstSeen: vault.firstSeen,
      inceptBlock: vault.inceptBlock,
      ...joinFacts(vault.chainId, [ofAsset, ...ofProtocol, ...ofCurators, ...vault.facts]),
      flags: vault.flags,
      sources: vault.sources.map((key) => known(sources, key)),
    };
  };

  return parseRegistry({ vaults: vaults.map(toEntry) });
}

function joinFacts(
  chainId: number,
  blocks: readonly Pick<FactBlock, 'chainIds' | 'facts' | 'source' | 'date'>[],
): { readonly facts: VaultFacts; readonly evidence: readonly FactEvidence[] } {
  const here = blocks.filter(({ chainIds }) => chainIds?.includes(chainId) ?? true);
  const winner = new Map(
    here.flatMap((block) => (Object.keys(block.facts) as (keyof VaultFacts)[]).map((fact) => [fact, block])),
  );
  const evidence = here.flatMap((block) => {
    const facts = [...winner].flatMap(([fact, from]) => (from === block ? [fact] : []));
    return facts.length > 0 ? [{ facts, source: block.source, date: block.date }] : [];
  });
  return { facts: Object.assign({}, ...here.map(({ facts }) => facts)) as VaultFacts, evidence };
}

function known<T>(table: Readonly<Record<string, T>>, key: string): T {
  const found = table[key];
  if (found === undefined) throw new Error(`the shipped registry names ${key}, which it does not define`);
  return found;
}
