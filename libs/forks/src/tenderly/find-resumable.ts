import type { Vnet } from './vnet.js';
import type { VnetNames } from './vnet-names.js';
import { isRunning } from './watch-vnet.js';

/**
 * Choose the Virtual TestNets with which an earlier process left off: of each chain the newest persistent fork.
 *
 * @returns by chain, as slugs name it
 */
export function findResumable(vnets: readonly Vnet[], names: VnetNames): ReadonlyMap<string, Vnet> {
  const newest = new Map<string, Vnet>();
  for (const vnet of vnets) {
    const name = names.parse(vnet.slug);
    if (name?.kind !== 'persistent' || !isRunning(vnet) || vnet.forkBlock === undefined) continue;
    const other = newest.get(name.chain);
    if (!other || (vnet.createdAt ?? 0) > (other.createdAt ?? 0)) newest.set(name.chain, vnet);
  }
  return newest;
}
