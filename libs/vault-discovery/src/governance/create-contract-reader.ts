import type { ActiveChain } from '@yield-vault/chains';
import type { Address } from 'viem';
import { inChunks } from '../batching.js';
import type { TrackedVault } from '../catalogue/check-vaults.js';
import type { ContractFacts } from '../ports.js';
import { addressesOf, createGroupReader, type GroupReader, orNull, toRead, wordsOf } from './group-reader.js';
import { describeMarkets } from './describe-markets.js';
import { type Authority, canInspect, readAccounts, worstFirst } from './read-accounts.js';
import { type MorphoVault, readMorpho } from './read-morpho.js';
import { type Powers, readPowers } from './read-powers.js';

export interface ContractReaderDeps {
  readonly chain: Pick<ActiveChain, 'chainId' | 'rpc'>;
  /** Milliseconds, as Date.now. */
  readonly now?: () => number;
}

/**
 * Reads what the contracts of vaults say of governance, fees and markets.
 *
 * @returns one result per vault; what a contract does not say is null or left out. Vaults of Morpho that the node failed
 * to read are left out, and all where it cannot override state
 * @throws what the client throws when the node is down
 * @throws the reason of the signal when it is aborted
 */
export type ContractReader = (
  vaults: readonly TrackedVault[],
  block: bigint,
  signal: AbortSignal,
) => Promise<readonly ContractFacts[]>;

// One batch of each kind of read: encoding more at once would block the event loop.
const vaultsAtOnce = 25;

export function createContractReader({
  chain: { chainId, rpc },
  now = Date.now,
}: ContractReaderDeps): ContractReader {
  const readPart = async (read: GroupReader, part: readonly TrackedVault[], block: bigint) => {
    const found = await readMorpho(rpc, part, block);
    const [vaults, morphos] = [[...found.keys()], [...found.values()]];
    const powers = await readPowers(
      read,
      vaults.map(({ entry }) => entry.address),
    );
    const authorityOf = await readAccounts(read, [
      ...powers.flatMap(({ accounts }) => accounts),
      ...morphos.flatMap((morpho) => [morpho?.curator, morpho?.guardian]),
    ]);
    const lending = await describeMarkets(read, chainId, morphos);
    const details = await readDetails(read, vaults);
    const checkedAt = Math.floor(now() / 1_000);
    return vaults.map(({ id }, index): ContractFacts => {
      const morpho = morphos[index];
      const { owner } = powers[index]!;
      const { markets, words } = lending[index]!;
      const { performancePercent, flags } = details[index]!;
      const { isAdminPartial, ...authority } = adminOf(powers[index]!, morpho, authorityOf);
      const isGuarded = morpho && hasGuardian(morpho, owner, authorityOf);
      return {
        vault: id,
        checkedAt,
        governance: {
          admin: authority.admin ?? null,
          timelockSeconds: authority.timelock ?? null,
          owner: orNull(owner),
          curator: orNull(morpho?.curator),
          guardian: orNull(morpho?.guardian),
          safeThreshold: authority.safeThreshold ?? null,
          safeOwners: authority.safeOwners ?? null,
          pendingChanges: morpho?.pending ?? [],
        },
        isAdminPartial,
        fees: {
          performancePercent: morpho?.performancePercent ?? performancePercent,
          managementPercent: morpho?.managementPercent ?? null,
        },
        markets,
        words: { ...words, ...(isGuarded && { curator: 'guarded' }) },
        flags,
      };
    });
  };
  return async (vaults, block, signal) => {
    const read = createGroupReader(rpc, block);
    if (!(await canInspect(read))) return [];
    const facts: ContractFacts[] = [];
    for await (const part of inChunks(vaults, vaultsAtOnce)) {
      signal.throwIfAborted();
      facts.push(...(await readPart(read, part, block)));
    }
    return facts;
  };
}

/** The most dangerous known one of those who can change a vault; `isAdminPartial` where others are unknown. */
function adminOf(
  { owner, accounts, isProxy }: Powers,
  morpho: MorphoVault | undefined,
  authorityOf: (account: Address) => Authority,
): Authority & { readonly isAdminPartial: boolean } {
  const named = [accounts, orNull(morpho?.curator) ?? []].flat();
  // A role may still change a proxy that nobody owns.
  if (named.length === 0)
    return owner && !isProxy ? { admin: 'immutable', isAdminPartial: false } : { isAdminPartial: true };
  const known = named
    .map(authorityOf)
    .map((authority): Authority => {
      if (!morpho) return authority;
      // The owner and the curator of a Morpho vault act through the vault's own delay.
      return { ...(morpho.timelock > 0 && { admin: 'timelock' }), ...authority, timelock: morpho.timelock };
    })
    .filter(({ admin }) => admin)
    .sort(worstFirst);
  return { ...known[0], isAdminPartial: known.length < named.length };
}

/** Whether somebody else than owner and curator can veto changes, and is known to be more than one key. */
function hasGuardian(
  { guardian, curator, timelock }: MorphoVault,
  owner: Address | undefined,
  authorityOf: (account: Address) => Authority,
): boolean {
  if (!guardian || timelock === 0 || [owner, curator].includes(guardian)) return false;
  const { admin, safeThreshold = 0 } = authorityOf(guardian);
  return admin === 'multisig' && safeThreshold > 1;
}

/** Functions that return the performance fee in basis points, by protocol of the registry. */
const feeFunctions: Readonly<Record<string, string>> = {
  'euler-v2': 'interestFee()',
  'yearn-v3': 'performanceFee()',
};

/** Read what only some protocols have: a performance fee, and the state of a reserve of Aave. */
async function readDetails(read: GroupReader, vaults: readonly TrackedVault[]) {
  const found = await read(
    vaults.map(({ entry }) => [toRead(entry.address, feeFunctions[entry.protocol] ?? 'POOL()')]),
  );
  const reserves = await read(
    vaults.map(({ entry }, index) => {
      const [pool] = entry.protocol === 'aave-v3' ? addressesOf(found[index]!) : [];
      return pool ? [toRead(pool, 'getConfiguration(address)', entry.asset.address)] : [];
    }),
  );
  return vaults.map(({ entry }, index) => {
    const percent = feeFunctions[entry.protocol] ? Number(wordsOf(found[index]![0])[0]) / 100 : NaN;
    const [configuration = 0n] = wordsOf(reserves[index]![0]);
    return {
      performancePercent: percent <= 100 ? percent : null,
      flags: reserveFlags.flatMap(([flag, bit]) => ((configuration >> bit) & 1n ? [flag] : [])),
    };
  });
}

/** Bits of Aave's reserve configuration. */
const reserveFlags = [
  ['reserve-frozen', 57n],
  ['reserve-paused', 60n],
] as const;
