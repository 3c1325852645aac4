import { asUpstreamError } from '@yield-vault/chains';
import { canonical } from '@yield-vault/contracts';
import type { AdminKind } from '@yield-vault/protocol';
import { assessRisk, type RiskInput } from '@yield-vault/vault-metrics';
import { type Address, type Hex, pad, zeroAddress } from 'viem';
import type { Read } from '../chain/read-contracts.js';
import { addressesOf, type GroupReader, toRead, wordsOf } from './group-reader.js';

/** Who acts behind an account. */
export interface Authority {
  readonly admin: AdminKind;
  /** Seconds that a timelock enforces. */
  readonly timelock?: number;
  /** Signatures that a Safe needs, and its owners. */
  readonly safeThreshold?: number;
  readonly safeOwners?: number;
}

/** How dangerous an authority is, from 0 to 100; Infinity when unknown. */
export const adminFactor = (authority: Pick<RiskInput, 'admin' | 'timelock' | 'safeThreshold'>): number =>
  assessRisk(authority).factors.admin ?? Infinity;

/** Contracts between a vault and the account that acts: proxy admin, timelock, Safe. */
const mostSteps = 4;
const mostSafeOwners = 100;
export const mostDelaySeconds = 10 * 365 * 86_400;

/** Bytecode that returns size, hash and first word of the code of the account in its call data. */
const inspectCode: Hex = '0x600035803b600052803f602052602060006040833c60606000f3';
const inspector: Address = '0x00000000000000000000000000000000c0de1a5b';
export const withInspector = [{ address: inspector, code: inspectCode }];
/** First two bytes of the code of an account that EIP-7702 delegated. */
const delegationMark = 0xef01n;

/** Read the code of an account, with `withInspector`. */
export const codeRead = (account: Address): Read => ({ target: inspector, callData: pad(account) });

/** Functions that name who controls a contract: Ownable, Compound's timelock, Euler's factory. */
const ownerFunctions = ['owner()', 'admin()', 'upgradeAdmin()'] as const;

/** What an account says of itself; `above` controls it. */
interface Account extends Partial<Authority> {
  readonly above?: Address;
}

/** Whether the node overrides state; some refuse it, and some ignore it. */
export async function canInspect(read: GroupReader): Promise<boolean> {
  try {
    const [[code] = []] = await read([[codeRead(canonical.multicall3)]], withInspector);
    return Boolean(wordsOf(code)[0]);
  } catch (error) {
    if (asUpstreamError(error, 'rpc')) throw error;
    return false;
  }
}

/** Find out who acts behind accounts: keys, Safes or timelocks, through the contracts that they own. */
export async function readAccounts(
  read: GroupReader,
  roots: readonly (Address | undefined)[],
): Promise<(account: Address) => Authority> {
  const accounts = new Map<Address, Account>([[zeroAddress, { admin: 'immutable' }]]);
  let unread = roots.flatMap((root) => root ?? []);
  for (let step = 0; step < mostSteps; step++) {
    unread = [...new Set(unread)].filter((account) => !accounts.has(account));
    if (unread.length === 0) break;
    const found = await read(unread.map(readsOf), withInspector);
    unread.forEach((account, index) => accounts.set(account, toAccount(found[index]!)));
    unread = unread.flatMap((account) => accounts.get(account)!.above ?? []);
  }

  const behind = (address: Address, steps: number): Authority => {
    const { above, ...account } = accounts.get(address) ?? {};
    // A timelock without its admin, or a Safe, speaks for itself; any other contract acts for its owner.
    return { admin: 'other', ...(above && steps > 0 && behind(above, steps - 1)), ...account };
  };
  return (account) => behind(account, mostSteps);
}

const readsOf = (account: Address): Read[] => [
  codeRead(account),
  ...['getThreshold()', 'getOwners()', 'getMinDelay()', 'delay()', ...ownerFunctions].map((signature) =>
    toRead(account, signature),
  ),
];

function toAccount([code, threshold, owners, minDelay, delay, ...controllers]: readonly (
  Hex | undefined
)[]): Account {
  const [size, , head = 0n] = wordsOf(code);
  if (size === undefined) return {};
  if (size === 0n || head >> 240n === delegationMark) return { admin: 'eoa' };
  // Only the length of the list is read: it may be very long.
  const safeThreshold = Number(wordsOf(threshold)[0]);
  const safeOwners = Number(wordsOf(owners)[1]);
  if (safeThreshold >= 1 && safeThreshold <= safeOwners && safeOwners <= mostSafeOwners)
    return { admin: 'multisig', safeThreshold, safeOwners };
  const [above] = addressesOf(controllers);
  const seconds = Number(wordsOf(minDelay)[0] ?? wordsOf(delay)[0] ?? 0n);
  const isTimelock = seconds > 0 && seconds <= mostDelaySeconds;
  return { ...(above && { above }), ...(isTimelock && { admin: 'timelock', timelock: seconds }) };
}
