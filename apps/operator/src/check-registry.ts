import {
  type CheckedEntry,
  checkVaults,
  currentFacts,
  normaliseName,
  type RegistryEntry,
} from '@yield-vault/vault-discovery';
import { changedFacts, readChainFacts } from './chain-facts.js';
import { type CliIo, columns, CommandFailure, connect, type RpcUrls } from './io.js';
import { loadRegistry, type RegistryChoice } from './registry-file.js';

const vaultsPerStep = 100;

interface Rejected extends Pick<RegistryEntry, 'chain' | 'address' | 'name'> {
  readonly reason: string;
}

export interface CheckOptions extends RegistryChoice {
  readonly rpc?: RpcUrls;
  readonly json?: boolean;
}

/** Compare a registry with the chains and print what they contradict. @returns how many vaults were rejected */
export async function checkRegistry(options: CheckOptions, io: CliIo): Promise<number> {
  const { rpc: urls = {} } = options;
  const entries = loadRegistry(options);
  const chains = [...new Set(entries.map(({ chain }) => chain))];
  const useless = Object.keys(urls).filter((chain) => !chains.includes(chain));
  if (useless.length > 0)
    throw new CommandFailure(
      `the registry has no vault on ${useless.join(', ')}; it has ${chains.join(', ')}`,
    );

  const confirmed: CheckedEntry[] = [];
  const rejected: Rejected[] = [];
  const changed: ReturnType<typeof factsRow> = [];
  for (const chain of chains) {
    const url = urls[chain];
    if (url === undefined) {
      io.note(`${chain}: left out, it has no --rpc`);
      continue;
    }
    const ofChain = entries.filter((entry) => entry.chain === chain);
    const { rpc } = await connect(chain, url, ofChain[0]!.chainId);
    for (let start = 0; start < ofChain.length; start += vaultsPerStep) {
      const step = ofChain.slice(start, start + vaultsPerStep);
      const { checked, mismatches } = await checkVaults(rpc, step);
      confirmed.push(...checked);
      const onChain = await readChainFacts(rpc, checked);
      for (const { entry } of checked)
        changed.push(...factsRow(entry, changedFacts(entry, onChain.get(entry))));
      rejected.push(
        ...mismatches.map(({ entry: { address, name }, reason }) => ({ chain, address, name, reason })),
      );
      io.note(`${chain}: ${start + step.length} of ${ofChain.length} vaults checked`);
    }
  }
  const renamed = confirmed.flatMap(renamedOf);
  const stale = confirmed.flatMap(({ entry }) => factsRow(entry, staleFacts(entry)));
  if (options.json)
    io.out(JSON.stringify({ confirmed: confirmed.length, rejected, renamed, changed, stale }, null, 2));
  else {
    const print = (header: string, rows: readonly object[], write = (text: string) => io.note(text)) => {
      if (rows.length > 0)
        write(columns([header.split(', '), ...rows.map((row) => Object.values(row) as string[])]));
    };
    print('REJECTED ON, ADDRESS, NAME, REASON', rejected, (text) => io.out(text));
    print('CALLED OTHERWISE ON, ADDRESS, IN THE REGISTRY, ON CHAIN', renamed);
    print('CHANGED ON, ADDRESS, NAME, FACTS', changed);
    print('STALE ON, ADDRESS, NAME, FACTS', stale);
    io.note(`${confirmed.length} vaults confirmed, ${rejected.length} rejected`);
  }
  return rejected.length;
}

function renamedOf({ entry: { chain, address, name }, nameOnChain }: CheckedEntry) {
  const isSame = nameOnChain === undefined || normaliseName(nameOnChain) === normaliseName(name);
  return isSame ? [] : [{ chain, address, name, nameOnChain }];
}

const factsRow = ({ chain, address, name }: RegistryEntry, facts: readonly string[]) =>
  facts.length === 0 ? [] : [{ chain, address, name, facts: facts.join(' ') }];

function staleFacts(entry: RegistryEntry): string[] {
  const current = currentFacts(entry, Date.now() / 1_000);
  return Object.keys(entry.facts).filter((fact) => !(fact in current));
}
