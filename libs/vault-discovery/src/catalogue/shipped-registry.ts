import { chainFacts } from '@yield-vault/contracts';
import assetFile from './data/assets.json' with { type: 'json' };
import protocolFile from './data/protocols.json' with { type: 'json' };
import vaultFile from './data/vaults.json' with { type: 'json' };
import { type FactEvidence, parseRegistry, type RegistryEntry, type VaultFacts } from './parse-registry.js';

/** Facts with their source. A later block overrides an earlier one. */
interface FactBlock {
  /** Every chain when left out. */
  readonly chainIds?: readonly number[];
  readonly facts: VaultFacts;
  readonly source: string;
  readonly date: string;
}

interface ShippedAsset {
  readonly chainId: number;
  readonly address: string;
  readonly symbol: string;
  readonly decimals: number;
  readonly symbolAliases: readonly string[];
  readonly assetClass: VaultFacts['assetClass'];
  readonly source: string;
  readonly date: string;
}

interface ShippedVault extends Pick<
  RegistryEntry,
  'chainId' | 'name' | 'status' | 'profiles' | 'firstSeen' | 'inceptBlock' | 'flags'
> {
  readonly address: string;
  readonly protocol: string;
  readonly asset: string;
  readonly curators?: readonly string[];
  readonly facts?: readonly FactBlock[];
  readonly sources: readonly string[];
}

type Known<T> = Readonly<Record<string, T & { readonly facts: readonly FactBlock[] }>>;

// `parseRegistry` checks the composed entries.
const { assets } = assetFile as { readonly assets: readonly ShippedAsset[] };
const { protocols, curators } = protocolFile as {
  readonly protocols: Known<{ readonly protocol: string }>;
  readonly curators: Known<{ readonly name: string }>;
};
const { collected, sources, vaults } = vaultFile as {
  readonly collected: string;
  readonly sources: Readonly<Record<string, string>>;
  readonly vaults: readonly ShippedVault[];
};

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
  const toEntry = (vault: ShippedVault): unknown => {
    const asset = assets.find(({ chainId, address }) => chainId === vault.chainId && address === vault.asset);
    if (!asset) throw new Error(`${vault.name}: unknown asset ${vault.asset}`);
    const { protocol, facts: ofProtocol } = known(protocols, vault.protocol);
    const people = (vault.curators ?? []).map((key) => known(curators, key));
    // One unknown curator among several makes the facts unknown.
    const ofCurators = people.every(({ facts }) => facts.length > 0)
      ? people.flatMap(({ facts }) => facts)
      : [];
    const ofAsset = { ...asset, facts: { assetClass: asset.assetClass } };
    return {
      chainId: vault.chainId,
      chain: chainFacts(vault.chainId).key,
      address: vault.address,
      name: vault.name,
      protocol,
      asset: { symbol: asset.symbol, address: asset.address, decimals: asset.decimals },
      ...(asset.symbolAliases.length > 0 && { symbolAliases: asset.symbolAliases }),
      status: vault.status,
      profiles: vault.profiles,
      ...(vault.status === 'active' && { reviewed: collected }),
      ...(people.length > 0 && { curatorName: people.map(({ name }) => name).join(', ') }),
      firstSeen: vault.firstSeen,
      inceptBlock: vault.inceptBlock,
      ...joinFacts(vault.chainId, [ofAsset, ...ofProtocol, ...ofCurators, ...(vault.facts ?? [])]),
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
