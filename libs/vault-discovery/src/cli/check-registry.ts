import { checkVaults, type CheckedEntry } from '../catalogue/check-vaults.js';
import { normaliseName } from '../catalogue/normalise-name.js';
import type { DroppedVault, RegistryEntry } from '../types.js';
import { connect } from './connect.js';
import { columns, type CliIo } from './io.js';
import { isActive, loadRegistry } from './load-registry.js';
import type { RpcUrls } from './options.js';
import { CommandFailure } from './outcome.js';

const vaultsPerStep = 100;

export interface CheckOptions {
  readonly rpc?: RpcUrls;
  readonly registry?: string;
  readonly candidates?: boolean;
  readonly batchSize: number;
  readonly json?: boolean;
}

/** Compare a registry with the chains and print what they contradict. @returns how many vaults were dropped */
export async function checkRegistry(options: CheckOptions, io: CliIo): Promise<number> {
  const { rpc: urls = {} } = options;
  const entries = loadRegistry(options.registry).filter((entry) => options.candidates || isActive(entry));
  refuseUselessUrls(urls, entries);

  const confirmed: CheckedEntry[] = [];
  const dropped: DroppedVault[] = [];
  for (const [chain, ofChain] of byChain(entries)) {
    const url = urls[chain];
    if (url === undefined) {
      io.note(`${chain}: left out, it has no --rpc`);
      continue;
    }
    const { rpc } = await connect(chain, url, ofChain[0]!.chainId);
    for (let start = 0; start < ofChain.length; start += vaultsPerStep) {
      const step = ofChain.slice(start, start + vaultsPerStep);
      const { checked, mismatches } = await checkVaults(rpc, step, options.batchSize);
      confirmed.push(...checked);
      dropped.push(
        ...mismatches.map(({ entry: { address, name }, reason }) => ({ chain, address, name, reason })),
      );
      io.note(`${chain}: ${start + step.length} of ${ofChain.length} vaults checked`);
    }
  }
  print(confirmed, dropped, options, io);
  return dropped.length;
}

function refuseUselessUrls(urls: RpcUrls, entries: readonly RegistryEntry[]): void {
  const chains = new Set(entries.map(({ chain }) => chain));
  const useless = Object.keys(urls).filter((chain) => !chains.has(chain));
  const known = [...chains].join(', ');
  if (useless.length > 0)
    throw new CommandFailure(`the registry has no vault on ${useless.join(', ')}; it has ${known}`);
  if (Object.keys(urls).length === 0)
    throw new CommandFailure(`name the RPC of at least one chain: --rpc <chain>=<url>, of ${known}`);
}

function byChain(entries: readonly RegistryEntry[]): ReadonlyMap<string, readonly RegistryEntry[]> {
  const chains = new Map<string, RegistryEntry[]>();
  for (const entry of entries) chains.set(entry.chain, [...(chains.get(entry.chain) ?? []), entry]);
  return chains;
}

function print(
  confirmed: readonly CheckedEntry[],
  dropped: readonly DroppedVault[],
  { json }: CheckOptions,
  io: CliIo,
): void {
  const renamed = confirmed.flatMap(({ entry, nameOnChain }) =>
    nameOnChain !== undefined && normaliseName(nameOnChain) !== normaliseName(entry.name)
      ? [{ chain: entry.chain, address: entry.address, name: entry.name, nameOnChain }]
      : [],
  );
  if (json) {
    io.out(JSON.stringify({ confirmed: confirmed.length, dropped, renamed }, null, 2));
    return;
  }
  if (dropped.length > 0)
    io.out(
      columns([
        ['DROPPED ON', 'ADDRESS', 'NAME', 'REASON'],
        ...dropped.map(({ chain, address, name, reason }) => [chain, address, name, reason]),
      ]),
    );
  if (renamed.length > 0)
    io.note(
      columns([
        ['CALLED OTHERWISE ON', 'ADDRESS', 'IN THE REGISTRY', 'ON CHAIN'],
        ...renamed.map(({ chain, address, name, nameOnChain }) => [chain, address, name, nameOnChain]),
      ]),
    );
  io.note(`${confirmed.length} vaults confirmed, ${dropped.length} dropped`);
}
