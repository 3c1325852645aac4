import { type CliIo, columns } from './io.js';
import { loadRegistry, type RegistryChoice } from './registry-file.js';

export interface ListOptions extends RegistryChoice {
  readonly chain?: string;
  readonly asset?: string;
  readonly json?: boolean;
}

/** Print the vaults of a registry. */
export function listVaults({ chain, asset, json, ...choice }: ListOptions, io: CliIo): void {
  const vaults = loadRegistry(choice).filter(
    (entry) =>
      (chain === undefined || entry.chain === chain) &&
      (asset === undefined || entry.asset.symbol.toLowerCase() === asset.toLowerCase()),
  );
  if (json) {
    io.out(JSON.stringify({ vaults }, null, 2));
    return;
  }
  const rows = vaults.map((entry) => [
    ...[entry.chain, entry.address, entry.asset.symbol, entry.protocol, entry.status ?? 'active', entry.name],
    entry.flags.join(' '),
  ]);
  if (rows.length > 0)
    io.out(columns([['CHAIN', 'ADDRESS', 'ASSET', 'PROTOCOL', 'STATUS', 'NAME', 'FLAGS'], ...rows]));
  io.note(`${vaults.length} vaults`);
}
