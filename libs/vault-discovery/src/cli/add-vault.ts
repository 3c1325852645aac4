import { readFileSync } from 'node:fs';
import { asUpstreamError } from '@yield-vault/chains';
import { parseAbi, type Address, type PublicClient } from 'viem';
import type { SourceRecord } from '../catalogue/catalogue-source.js';
import { checkVaults } from '../catalogue/check-vaults.js';
import { flagImpostors } from '../catalogue/flag-impostors.js';
import { badFlags } from '../catalogue/flags.js';
import { mergeRecords, type SourceAnswer } from '../catalogue/merge-records.js';
import { createCatalogueSources } from '../catalogue/sources/create-catalogue-sources.js';
import type { RegistryEntry, SourceUrls } from '../types.js';
import { appendToRegistry } from './append-to-registry.js';
import { connect } from './connect.js';
import type { CliIo } from './io.js';
import { loadRegistry } from './load-registry.js';
import type { RpcUrls } from './options.js';
import { CommandFailure } from './outcome.js';

const sourceDeadlineMs = 30_000;
const batchSize = 10;

export interface AddOptions extends Omit<SourceUrls, 'vaultsFyiKey'> {
  /** Not the key itself: everybody on the machine can read what a command is called with. */
  readonly vaultsFyiKeyFile?: string;
  readonly rpc?: RpcUrls;
  readonly registry?: string;
  readonly protocol?: string;
}

const abi = parseAbi([
  'function asset() view returns (address)',
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
]);

/**
 * Make the registry entry of a vault from what the chain says, add what sources say of it, and print it or append
 * it to a file. Its risk facts stay unknown until somebody fills them in.
 */
export async function addVault(
  chain: string,
  address: Address,
  { rpc: urls = {}, registry: file, protocol = 'unknown', vaultsFyiKeyFile, ...sources }: AddOptions,
  io: CliIo,
): Promise<void> {
  const url = urls[chain];
  if (url === undefined) throw new CommandFailure(`name the RPC of the chain: --rpc ${chain}=<url>`);
  const registry = loadRegistry(file);
  const { rpc, chainId } = await connect(
    chain,
    url,
    registry.find((entry) => entry.chain === chain)?.chainId,
  );
  const others = registry.filter((entry) => entry.chainId === chainId);
  const present = others.find((entry) => entry.address === address);
  if (present)
    throw new CommandFailure(`${present.name} is in the registry already, as ${present.status ?? 'active'}`);

  io.note(`reading ${address} on ${chain}`);
  const bare = { chainId, chain, address, protocol, facts: {}, flags: [], sources: [`chain:${chain}`] };
  const entry: RegistryEntry = { ...bare, ...(await readVault(rpc, address)) };
  const { mismatches } = await checkVaults(rpc, [entry], batchSize);
  if (mismatches[0]) throw new CommandFailure(`${entry.name} cannot be used: ${mismatches[0].reason}`);

  const { entries, conflicts } = mergeRecords(
    [entry],
    await askSources({ ...sources, vaultsFyiKey: readKey(vaultsFyiKeyFile) }, entry, io),
  );
  for (const { source, field, registry: mine, says } of conflicts)
    io.note(`${source} says ${field} ${says}; the chain says ${mine}`);
  const added = flagImpostors([...others, entries[0]!]).at(-1)!;
  const reasons = added.flags.filter((flag) => badFlags.has(flag));
  if (reasons.length > 0) io.note(`warning: it will not be offered: ${reasons.join(', ')}`);

  if (file === undefined) io.out(JSON.stringify(added, null, 2));
  else {
    appendToRegistry(file, added);
    io.note(`${added.name} added to ${file}; fill in its facts, or its risk counts as unknown`);
  }
}

function readKey(file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new CommandFailure(`the key file cannot be read: ${(error as Error).message}`);
  }
}

/** Ask a vault who it is. */
async function readVault(
  rpc: PublicClient,
  address: Address,
): Promise<Pick<RegistryEntry, 'name' | 'asset'>> {
  const asset = await ask(rpc.readContract({ abi, address, functionName: 'asset' }));
  if (asset === undefined)
    throw new CommandFailure(`${address} is no ERC-4626 vault: asset() does not answer`);
  const name = await ask(rpc.readContract({ abi, address, functionName: 'name' }));
  if (!name) throw new CommandFailure(`${address} has no name: write its entry by hand`);
  const symbol = await ask(rpc.readContract({ abi, address: asset, functionName: 'symbol' }));
  const decimals = await ask(rpc.readContract({ abi, address: asset, functionName: 'decimals' }));
  if (!symbol || decimals === undefined)
    throw new CommandFailure(`the asset ${asset} does not tell its symbol and decimals`);
  return { name, asset: { symbol, address: asset, decimals } };
}

/** A contract may refuse to answer; a node that is down is no such answer. */
async function ask<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (asUpstreamError(error, 'rpc')) throw error;
    return undefined;
  }
}

async function askSources(
  urls: SourceUrls,
  { chainId, address }: RegistryEntry,
  io: CliIo,
): Promise<SourceAnswer[]> {
  const isMeant = (record: SourceRecord) => record.chainId === chainId && record.address === address;
  return Promise.all(
    createCatalogueSources(urls).map(async (source) => {
      const { name } = source;
      io.note(`asking ${name}`);
      const records = (await source.load([chainId], AbortSignal.timeout(sourceDeadlineMs))).filter(isMeant);
      io.note(records[0] ? `${name} knows it${numbersOf(records[0])}` : `${name} does not know it`);
      return { source: name, records };
    }),
  );
}

function numbersOf({ apy, tvlUsd }: SourceRecord): string {
  const numbers = [
    ...(apy === undefined ? [] : [`${apy.toFixed(2)} % a year`]),
    ...(tvlUsd === undefined ? [] : [`${Math.round(tvlUsd)} USD`]),
  ];
  return numbers.length > 0 ? `: ${numbers.join(', ')}` : '';
}
