import type { PendingChange } from '@yield-vault/protocol';
import {
  type Address,
  encodeFunctionData,
  type Hex,
  pad,
  parseAbi,
  toFunctionSelector,
  zeroAddress,
} from 'viem';
import { addressOf, type GroupReader, toAddress, toRead, wordsOf } from './group-reader.js';
import { mostDelaySeconds } from './read-accounts.js';
import type { LookThrough } from './read-markets.js';

/** Roles, delays and fees of a Morpho vault. */
export interface Roles {
  /** Zero where nobody has the role. */
  readonly curator: Address | undefined;
  readonly guardian: Address | undefined;
  /** Seconds before a change that adds risk takes effect; undefined when unknown. */
  readonly timelock: number | undefined;
  readonly performancePercent: number | null;
  readonly managementPercent: number | null;
  readonly pending: readonly PendingChange[];
}

/** Functions of version 2 that add risk, or lock holders in. */
const risky = [
  'addAdapter(address)',
  'increaseAbsoluteCap(bytes,uint256)',
  'increaseRelativeCap(bytes,uint256)',
  'setSendSharesGate(address)',
  'setReceiveAssetsGate(address)',
];
const riskySelectors = risky.map((signature) =>
  pad(toFunctionSelector(signature), { dir: 'right', size: 32 }),
);
const yearSeconds = 365 * 86_400;

/** Functions of version 2 that only make a vault safer. Any other one may loosen. */
const tightening = new Set(
  ['increaseTimelock(bytes4,uint256)', 'abdicate(bytes4)', 'removeAdapter(address)'].map((signature) =>
    toFunctionSelector(signature),
  ),
);
const submissionAbi = parseAbi(['function executableAt(bytes data) view returns (uint256)']);
const mostSubmissions = 50;

/**
 * Read the roles of Morpho vaults; undefined for contracts without markets.
 *
 * @param submissions - see `readSubmissions`
 */
export async function readRoles(
  read: GroupReader,
  vaults: readonly Address[],
  looks: readonly (LookThrough | undefined)[],
  submissions: ReadonlyMap<Address, readonly Hex[]>,
): Promise<readonly (Roles | undefined)[]> {
  const ofV1 = ['timelock()', 'fee()', 'guardian()', 'pendingTimelock()', 'pendingGuardian()'];
  const ofV2 = ['performanceFee()', 'managementFee()'];
  const submitted = vaults.map((vault, index) => {
    const markets = looks[index]?.version === 1 ? looks[index].positions.map(({ marketId }) => marketId) : [];
    return [...new Set([...markets, ...(submissions.get(vault) ?? [])])].slice(0, mostSubmissions);
  });
  const found = await read(
    vaults.map((vault, index) => {
      const look = looks[index];
      if (!look) return [];
      const own = ['curator()', ...(look.version === 1 ? ofV1 : ofV2)].map((name) => toRead(vault, name));
      if (look.version === 1)
        return [...own, ...submitted[index]!.map((id) => toRead(vault, 'pendingCap(bytes32)', id))];
      const delays = ['abdicated(bytes4)', 'timelock(bytes4)'].flatMap((name) =>
        riskySelectors.map((selector) => toRead(vault, name, selector)),
      );
      const pending = submitted[index]!.map((data) => ({
        target: vault,
        callData: encodeFunctionData({ abi: submissionAbi, args: [data] }),
      }));
      return [...own, ...delays, ...pending];
    }),
  );
  return looks.map((look, index) => {
    if (!look) return undefined;
    const [curator, ...others] = found[index]!;
    const roles =
      look.version === 1 ? rolesOfV1(others, submitted[index]!) : rolesOfV2(others, submitted[index]!);
    return { curator: addressOf(curator), ...roles };
  });
}

type Data = readonly (Hex | undefined)[];

function rolesOfV1(
  [timelock, fee, guardian, pendingTimelock, pendingGuardian, ...caps]: Data,
  markets: readonly Hex[],
): Omit<Roles, 'curator'> {
  const seconds = toSeconds(wordsOf(timelock)[0]);
  const [nextSeconds, timelockAt] = wordsOf(pendingTimelock);
  const [nextGuardian, guardianAt] = wordsOf(pendingGuardian);
  const pending = [
    pendingChange(timelockAt, () => ({
      change: `timelock: ${nextSeconds} s instead of ${seconds ?? 'unknown'} s`,
      loosens: Number(nextSeconds) < (seconds ?? Infinity),
    })),
    pendingChange(guardianAt, () => ({
      change: `guardian: ${toAddress(nextGuardian) ?? 'unknown'} instead of ${addressOf(guardian) ?? 'unknown'}`,
      loosens: toAddress(nextGuardian) === zeroAddress,
    })),
    ...markets.map((marketId, index) => {
      const [cap, capAt] = wordsOf(caps[index]);
      // A lower cap needs no announcement.
      return pendingChange(capAt, () => ({
        change: `cap of market ${marketId}: ${cap} base units`,
        loosens: true,
      }));
    }),
  ];
  return {
    guardian: addressOf(guardian),
    timelock: seconds,
    performancePercent: toPercent(wordsOf(fee)[0]),
    managementPercent: 0,
    pending: inOrder(pending),
  };
}

function rolesOfV2(
  [performance, management, ...functions]: Data,
  submitted: readonly Hex[],
): Omit<Roles, 'curator'> {
  const words = functions.map((data) => wordsOf(data)[0]);
  const delays = riskySelectors.map((_, index) =>
    words[index] === 1n ? mostDelaySeconds : toSeconds(words[riskySelectors.length + index]),
  );
  const known = delays.flatMap((delay) => delay ?? []);
  return {
    // Sentinels are a mapping, which cannot be listed.
    guardian: undefined,
    timelock: known.length === delays.length ? Math.min(...known) : undefined,
    performancePercent: toPercent(wordsOf(performance)[0]),
    managementPercent: toPercent(wordsOf(management)[0], yearSeconds),
    pending: inOrder(
      submitted.map((data, index) => {
        const selector = data.slice(0, 10) as Hex;
        return pendingChange(words[2 * riskySelectors.length + index], () => ({
          change: risky.find((name) => toFunctionSelector(name) === selector) ?? `function ${selector}`,
          loosens: !tightening.has(selector),
        }));
      }),
    ),
  };
}

/** The end of the year 9999: a later time has another form as text. */
const latestSeconds = 253_402_300_799n;

function pendingChange(
  validAt: bigint | undefined,
  describe: () => Pick<PendingChange, 'change' | 'loosens'>,
): PendingChange | undefined {
  if (!validAt) return undefined;
  const isTime = validAt <= latestSeconds;
  return { ...describe(), validAt: isTime ? new Date(Number(validAt) * 1_000).toISOString() : null };
}

const inOrder = (changes: readonly (PendingChange | undefined)[]): PendingChange[] =>
  changes.flatMap((change) => change ?? []).sort((a, b) => timeOf(a) - timeOf(b));

const timeOf = ({ validAt }: PendingChange): number => (validAt ? Date.parse(validAt) : Infinity);

/** A delay that a contract states; undefined where it is implausible. */
const toSeconds = (word: bigint | undefined): number | undefined =>
  word === undefined || word > BigInt(mostDelaySeconds) ? undefined : Number(word);

/** A fraction with 18 decimals; null where it is no fee. */
export function toPercent(word: bigint | undefined, times = 1, unit = 1e16): number | null {
  const percent = (Number(word) * times) / unit;
  return percent <= 100 ? percent : null;
}
