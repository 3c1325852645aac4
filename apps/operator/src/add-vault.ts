import { asUpstreamError } from '@yield-vault/chains';
import { type Address, parseAbi, type PublicClient } from 'viem';
import {
  badFlags,
  checkVaults,
  flagImpostors,
  parseRegistry,
  type RegistryEntry,
} from '@yield-vault/vault-discovery';
import { type CliIo, CommandFailure, connect, type RpcUrls } from './io.js';
import { appendToRegistry, loadRegistry } from './registry-file.js';

const readsPerCall = 10;

export interface AddOptions {
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
 * Create the registry entry of a vault from the chain, and print it or append it to a file. It is a candidate
 * until somebody reviewed it and filled in its risk facts.
 */
export async function addVault(
  chain: string,
  address: Address,
  { rpc: urls = {}, registry: file, protocol = 'unknown' }: AddOptions,
  io: CliIo,
): Promise<void> {
  const url = urls[chain];
  if (url === undefined) throw new CommandFailure(`name the RPC of the chain: --rpc ${chain}=<url>`);
  const registry = loadRegistry({ registry: file, candidates: true });
  const expected = registry.find((entry) => entry.chain === chain)?.chainId;
  const { rpc, chainId } = await connect(chain, url, expected);
  const others = registry.filter((entry) => entry.chainId === chainId);
  const present = others.find((entry) => entry.address === address);
  if (present)
    throw new CommandFailure(`${present.name} is in the registry already, as ${present.status ?? 'active'}`);

  io.note(`reading ${address} on ${chain}`);
  const entry = await readVault(rpc, { chainId, chain, address, protocol });
  const { mismatches } = await checkVaults(rpc, [entry], readsPerCall);
  if (mismatches[0]) throw new CommandFailure(`${entry.name} cannot be used: ${mismatches[0].reason}`);

  const added = flagImpostors([...others, entry]).at(-1)!;
  const reasons = added.flags.filter((flag) => badFlags.has(flag));
  if (reasons.length > 0) io.note(`warning: it will not be offered: ${reasons.join(', ')}`);
  if (file === undefined) io.out(JSON.stringify(added, null, 2));
  else {
    appendToRegistry(file, [added]);
    io.note(`${added.name} added to ${file} as a candidate; review it, then make it active`);
  }
}

/**
 * Create the entry of a vault with its name and asset on chain.
 *
 * @throws {CommandFailure} when the address has no usable vault
 * @throws {ConfigError} when an entry cannot hold its name or asset
 */
export async function readVault(
  rpc: PublicClient,
  place: Pick<RegistryEntry, 'chainId' | 'chain' | 'address' | 'protocol'>,
): Promise<RegistryEntry> {
  const { address, chain } = place;
  const asset = await orUndefined(rpc.readContract({ abi, address, functionName: 'asset' }));
  if (asset === undefined)
    throw new CommandFailure(`${address} is no ERC-4626 vault: asset() does not respond`);
  const name = await orUndefined(rpc.readContract({ abi, address, functionName: 'name' }));
  if (!name) throw new CommandFailure(`${address} has no name: write its entry by hand`);
  const symbol = await orUndefined(rpc.readContract({ abi, address: asset, functionName: 'symbol' }));
  const decimals = await orUndefined(rpc.readContract({ abi, address: asset, functionName: 'decimals' }));
  if (!symbol || decimals === undefined)
    throw new CommandFailure(`the asset ${asset} does not return its symbol and decimals`);
  const entry = {
    ...place,
    name,
    asset: { symbol, address: asset, decimals },
    facts: {},
    flags: [],
    sources: [`chain:${chain}`],
    status: 'candidate',
  };
  return parseRegistry({ vaults: [entry] })[0]!;
}

/** Undefined when the contract does not respond; an outage of the node is thrown. */
async function orUndefined<T>(response: Promise<T>): Promise<T | undefined> {
  try {
    return await response;
  } catch (error) {
    if (asUpstreamError(error, 'rpc')) throw error;
    return undefined;
  }
}
