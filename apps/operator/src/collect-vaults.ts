import { ConfigError } from '@yield-vault/protocol';
import { createSources, flagImpostors, mergeRecords, type RegistryEntry } from '@yield-vault/vault-discovery';
import { type AddOptions, readVault } from './add-vault.js';
import { checkRegistry } from './check-registry.js';
import { type CliIo, CommandFailure, connect } from './io.js';
import { appendToRegistry, loadRegistry } from './registry-file.js';

const loadMs = 120_000;

export interface CollectOptions extends AddOptions {
  readonly registry: string;
  readonly morpho?: string;
  readonly llama?: string;
}

/**
 * Append the vaults that public sources know and a registry file does not, as candidates. Known entries stay as they
 * are; those that the chain contradicts or calls otherwise are listed for a reviewer.
 *
 * @returns how many entries the chain contradicts
 */
export async function collectVaults(options: CollectOptions, io: CliIo): Promise<number> {
  const { registry: file, rpc: urls = {}, morpho, llama } = options;
  const sources = createSources({ morphoUrl: morpho, llamaYieldsUrl: llama });
  for (const [chain, url] of Object.entries(urls)) {
    const known = loadRegistry({ registry: file, candidates: true }).filter((entry) => entry.chain === chain);
    const { rpc, chainId } = await connect(chain, url, known[0]?.chainId);
    const results = [];
    for (const source of sources) {
      const records = await source.load([chainId], AbortSignal.timeout(loadMs));
      results.push({ source: source.name, records });
    }
    const addresses = new Set(results.flatMap(({ records }) => records.map(({ address }) => address)));
    for (const { address } of known) addresses.delete(address);
    io.note(`${chain}: reading ${addresses.size} addresses`);
    const found: RegistryEntry[] = [];
    for (const address of [...addresses].sort()) {
      const place = { chainId, chain, protocol: 'unknown', address };
      const entry = await readVault(rpc, place).catch((error: unknown) => {
        // No vault is there, or one that no entry can describe.
        if (!(error instanceof CommandFailure || error instanceof ConfigError)) throw error;
      });
      if (entry) found.push(entry);
    }
    const merged = flagImpostors(mergeRecords([...known, ...found], results));
    // A registry keeps reviewed facts alone.
    const candidates = merged.slice(known.length).map((entry) => ({ ...entry, facts: {} }));
    for (const { address, name, flags } of candidates)
      io.note(`${chain}: new ${address} ${name} ${flags.join(' ')}`);
    appendToRegistry(file, candidates);
  }
  return checkRegistry({ ...options, candidates: true }, io);
}
