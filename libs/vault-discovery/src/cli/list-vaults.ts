import type { CliIo } from './io.js';
import { columns } from './io.js';
import { isActive, loadRegistry } from './load-registry.js';

export interface ListOptions {
  readonly chain?: string;
  readonly asset?: string;
  readonly registry?: string;
  readonly candidates?: boolean;
  readonly json?: boolean;
}

/** Print the vaults of a registry. */
export function listVaults(options: ListOptions, io: CliIo): void {
  const vaults = loadRegistry(options.registry).filter(
    (entry) =>
      (options.candidates || isActive(entry)) &&
      (options.chain === undefined || entry.chain === options.chain) &&
      (options.asset === undefined || entry.asset.symbol.toLowerCase() === options.asset.toLowerCase()),
  );
  if (options.json) {
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
