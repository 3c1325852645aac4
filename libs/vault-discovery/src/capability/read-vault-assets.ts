import { minBigInt } from '@yield-vault/protocol';
import type { TrackedVault } from '../catalogue/check-vaults.js';
import { type Read, toAmount } from '../chain/read-contracts.js';
import { addressOf, type GroupReader, toRead } from '../governance/group-reader.js';
import { readMarkets, withdrawableOf } from '../governance/read-markets.js';
import type { ExitSample } from '../ports.js';

/** What a vault says of itself; 0 when it does not tell. */
export interface VaultTotals {
  readonly totalAssets: bigint;
  readonly totalSupply: bigint;
}

/** Idle assets are only a part of the withdrawable ones, so less than 30 % says nothing. */
const sayingParts = 30n;
const parts = 100n;

/** Read the totals of vaults, in their order. */
export async function readTotals(
  read: GroupReader,
  vaults: readonly TrackedVault[],
): Promise<readonly VaultTotals[]> {
  const calls = ['totalAssets()', 'totalSupply()'];
  const groups = await read(
    vaults.map(({ entry }) => calls.map((signature) => toRead(entry.address, signature))),
  );
  return groups.map((group) => {
    const [totalAssets = 0n, totalSupply = 0n] = group.map(toAmount);
    return { totalAssets, totalSupply };
  });
}

/** Read what a vault holds or its protocol says that can leave; `unknown` where that is too little to say anything. */
export async function readAvailable(
  read: GroupReader,
  { entry: { protocol, address, asset } }: TrackedVault,
  totalAssets: bigint,
): Promise<Pick<ExitSample, 'method' | 'instant'>> {
  if (protocol === 'morpho') {
    const [look] = await readMarkets(read, [address]);
    if (look) return { method: 'protocol', instant: withdrawableOf(look) };
  }
  const readOne = async (call: Read) => (await read([[call]]))[0]?.[0];
  // Aave keeps the assets of a vault there.
  const aToken = protocol === 'aave-v3' ? addressOf(await readOne(toRead(address, 'aToken()'))) : undefined;
  const held = toAmount(await readOne(toRead(asset.address, 'balanceOf(address)', aToken ?? address)));
  if (held === undefined || (!aToken && held * parts < totalAssets * sayingParts))
    return { method: 'unknown', instant: null };
  return { method: aToken ? 'protocol' : 'idle', instant: minBigInt(held, totalAssets) };
}
