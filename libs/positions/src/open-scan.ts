import { UpstreamUnavailableError } from '@yield-vault/protocol';
import type { Address } from 'viem';
import type { PositionsChain, Scan, ScanStore, WalletKey } from './ports.js';
import type { Head } from './read-vaults.js';

/** What a request found out before it reads the past. */
export interface Sighting {
  readonly key: WalletKey;
  readonly known: Scan | undefined;
  readonly head: Head;
  /** Vaults of the chain, lower case, in the order of the balances. */
  readonly vaults: readonly Address[];
  /** First block that can hold an event of a wallet. */
  readonly fromBlock: bigint;
  /** Whether the chain may be another one than before, as local chains and forks are after a restart. */
  readonly mayBeReplaced: boolean;
}

/**
 * Begin or continue the scan of a wallet. A vault that was listed later joins the scan as it is, unless the wallet
 * already holds its shares: then the past is read again.
 *
 * @returns `undefined` for a wallet that is unknown, holds nothing and sent no operation
 * @throws {UpstreamUnavailableError} when the node shows another chain than the scan was read from
 */
export async function openScan(
  store: ScanStore,
  chain: PositionsChain,
  { key, known, head, vaults, fromBlock, mayBeReplaced }: Sighting,
): Promise<Scan | undefined> {
  const isReplaced = known !== undefined && head.anchorHash !== known.target.hash;
  if (isReplaced && !mayBeReplaced) throw replaced(chain, known);
  const held = vaults.filter((_, index) => head.balances[index]! > 0n);
  const scan = isReplaced ? undefined : known;
  const added = vaults.filter((vault) => !scan?.vaults.includes(vault));
  if (scan && added.length === 0) return scan;
  if (scan && !added.some((vault) => held.includes(vault))) {
    await store.addVaults(key, added);
    return { ...scan, vaults: [...scan.vaults, ...added] };
  }
  if (known) await store.remove(key);
  if (held.length === 0 && !head.hasOperations) return undefined;
  const begun = { ...key, vaults, nextBlock: fromBlock, target: head.final, firstBlock: undefined };
  await store.begin(begun);
  return begun;
}

function replaced({ key }: PositionsChain, { target }: Scan): UpstreamUnavailableError {
  return new UpstreamUnavailableError({
    detail: `rpc:${key}: block ${target.number} is missing or differs from the block that was final before.`,
    details: { dependency: `rpc:${key}` },
    retryAfterSeconds: 30,
  });
}
