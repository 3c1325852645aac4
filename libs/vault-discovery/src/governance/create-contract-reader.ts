import type { ActiveChain } from '@yield-vault/chains';
import type { VaultFees } from '@yield-vault/protocol';
import { assessRisk } from '@yield-vault/vault-metrics';
import { type Address, type Hex, zeroAddress } from 'viem';
import { inChunks } from '../batching.js';
import type { TrackedVault } from '../catalogue/check-vaults.js';
import type { ContractFacts } from '../ports.js';
import { addressOf, createGroupReader, type GroupReader, orNull, toRead, wordsOf } from './group-reader.js';
import { type Authority, canInspect, readAccounts } from './read-accounts.js';
import { readTokens, riskWordsOf, toMarkets } from './describe-markets.js';
import { readMarkets } from './read-markets.js';
import { readOracles } from './read-oracles.js';
import { type Powers, readPowers } from './read-powers.js';
import { readRoles, type Roles, toPercent } from './read-roles.js';
import { readSubmissions } from './read-submissions.js';

export interface ContractReaderDeps {
  readonly chain: Pick<ActiveChain, 'chainId' | 'rpc'>;
  /** Gas that one read may burn. */
  readonly readGasLimit: number;
  /** Milliseconds, as Date.now. */
  readonly now?: () => number;
}

/**
 * Reads what the contracts of vaults say of governance, fees and markets.
 *
 * @returns one result per vault; what a contract does not say is null or left out. None where the node cannot override
 * state
 * @throws what the client throws when the node is down
 */
export type ContractReader = (
  vaults: readonly TrackedVault[],
  block: bigint,
) => Promise<readonly ContractFacts[]>;

// One batch of each kind of read: encoding more at once would block the event loop.
const vaultsAtOnce = 25;

export function createContractReader(deps: ContractReaderDeps): ContractReader {
  const { chain, readGasLimit, now = Date.now } = deps;
  return async (vaults, block) => {
    const read = createGroupReader({ rpc: chain.rpc, readGasLimit }, block);
    if (!(await canInspect(read))) return [];
    const lenders = vaults.filter(isMorpho).map(({ entry }) => entry.address);
    const submissions = await readSubmissions(chain.rpc, lenders, block);
    const facts: ContractFacts[] = [];
    for await (const part of inChunks(vaults, vaultsAtOnce))
      facts.push(...(await readFacts({ read, chainId: chain.chainId, submissions, now }, part)));
    return facts;
  };
}

const isMorpho = ({ entry }: TrackedVault) => entry.protocol === 'morpho';

interface Reading {
  readonly read: GroupReader;
  readonly chainId: number;
  readonly submissions: ReadonlyMap<Address, readonly Hex[]>;
  readonly now: () => number;
}

async function readFacts(
  { read, chainId, submissions, now }: Reading,
  vaults: readonly TrackedVault[],
): Promise<ContractFacts[]> {
  const checkedAt = Math.floor(now() / 1_000);
  const addresses = vaults.map(({ entry }) => entry.address);
  const powers = await readPowers(read, addresses);
  const lenders = vaults.filter(isMorpho).map(({ entry }) => entry.address);
  const looks = await readMarkets(read, lenders);
  const allRoles = await readRoles(read, lenders, looks, submissions);
  const positions = looks.flatMap((look) => look?.positions ?? []);
  const oracles = await readOracles(
    read,
    chainId,
    positions.map(({ oracle }) => oracle),
  );
  const tokens = await readTokens(
    read,
    positions.map(({ collateral }) => collateral),
  );
  const authorityOf = await readAccounts(read, [
    ...powers.flatMap(({ owner, upgrader }) => [owner, upgrader]),
    ...allRoles.flatMap((roles) => [roles?.curator, roles?.guardian]),
  ]);
  const details = await readDetails(read, vaults);

  return vaults.map(({ id, entry }, index) => {
    const place = lenders.indexOf(entry.address);
    const [look, roles] = [looks[place], allRoles[place]];
    const markets = look ? toMarkets(look, tokens) : [];
    const { owner } = powers[index]!;
    const admin = adminOf(powers[index]!, roles, authorityOf);
    const isGuarded = look && isGuardian(roles, owner, authorityOf);
    return {
      vault: id,
      checkedAt,
      governance: {
        admin: admin?.admin ?? null,
        timelockSeconds: admin?.timelock ?? null,
        owner: orNull(owner),
        curator: orNull(roles?.curator),
        guardian: orNull(roles?.guardian),
        safeThreshold: admin?.safeThreshold ?? null,
        safeOwners: admin?.safeOwners ?? null,
        pendingChanges: roles?.pending ?? [],
      },
      fees: {
        performancePercent: roles?.performancePercent ?? details[index]!.performancePercent,
        managementPercent: roles?.managementPercent ?? null,
      },
      markets,
      words: {
        ...(isGuarded && { curator: 'guarded' as const }),
        ...(look && riskWordsOf(look, markets, oracles, tokens)),
      },
      flags: details[index]!.flags,
    };
  });
}

const adminFactor = (authority: Authority): number => assessRisk(authority).factors.admin ?? Infinity;

/** The most dangerous of those who can change a vault; undefined where the contracts do not name all of them. */
function adminOf(
  { owner, upgrader, isPartial }: Powers,
  roles: Roles | undefined,
  authorityOf: (account: Address) => Authority,
): Authority | undefined {
  const named = [owner, upgrader, roles?.curator].flatMap((account) => account ?? []);
  const isFixed = named.every((account) => account === zeroAddress);
  if (isPartial || named.length === 0 || (isFixed && owner === undefined)) return undefined;
  return named
    .map((account): Authority => {
      const authority = authorityOf(account);
      // The owner and the curator of a Morpho vault act through the vault's own delay.
      return roles && account !== upgrader ? { ...authority, timelock: roles.timelock } : authority;
    })
    .reduce((worst, each) => (adminFactor(each) > adminFactor(worst) ? each : worst));
}

/** Whether somebody else than owner and curator can veto changes, and is more than one key. */
function isGuardian(
  roles: Roles | undefined,
  owner: Address | undefined,
  authorityOf: (account: Address) => Authority,
): boolean {
  const guardian = roles?.guardian;
  if (!guardian || !roles.timelock || [owner, roles.curator, zeroAddress].includes(guardian)) return false;
  return authorityOf(guardian).admin !== 'eoa';
}

interface Details extends Pick<VaultFees, 'performancePercent'> {
  readonly flags: readonly string[];
}

/** Functions that return the performance fee in basis points, by protocol of the registry. */
const feeFunctions: Readonly<Record<string, string>> = {
  'euler-v2': 'interestFee()',
  'yearn-v3': 'performanceFee()',
};

/** Read what only some protocols have: a performance fee, and the state of a reserve of Aave. */
async function readDetails(read: GroupReader, vaults: readonly TrackedVault[]): Promise<readonly Details[]> {
  const found = await read(
    vaults.map(({ entry }) => [
      toRead(entry.address, feeFunctions[entry.protocol] ?? 'fee()'),
      toRead(entry.address, 'POOL()'),
    ]),
  );
  const pools = vaults.map(({ entry }, index) =>
    entry.protocol === 'aave-v3' ? addressOf(found[index]![1]) : undefined,
  );
  const reserves = await read(
    pools.map((pool, index) =>
      pool ? [toRead(pool, 'getConfiguration(address)', vaults[index]!.entry.asset.address)] : [],
    ),
  );
  return vaults.map(({ entry }, index) => {
    const [configuration = 0n] = wordsOf(reserves[index]![0]);
    return {
      performancePercent: feeFunctions[entry.protocol]
        ? toPercent(wordsOf(found[index]![0])[0], 1, 100)
        : null,
      flags: reserveFlags.flatMap(([flag, bit]) => ((configuration >> bit) & 1n ? [flag] : [])),
    };
  });
}

/** Bits of Aave's reserve configuration. */
const reserveFlags = [
  ['reserve-frozen', 57n],
  ['reserve-paused', 60n],
] as const;
