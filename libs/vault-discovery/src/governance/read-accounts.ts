import { asUpstreamError } from '@yield-vault/chains';
import { canonical } from '@yield-vault/contracts';
import type { AdminKind } from '@yield-vault/protocol';
import { adminFactor, type AdminInput } from '@yield-vault/vault-metrics';
import { type Address, type Hex, pad } from 'viem';
import type { Read } from '../chain/read-contracts.js';
import { addressesOf, addressOf, type GroupReader, toRead, wordsOf } from './group-reader.js';

/** Who acts behind an account; nothing where its contract does not say. */
export interface Authority {
  readonly admin?: AdminKind;
  /** Seconds that a timelock enforces. */
  readonly timelock?: number;
  /** Signatures that a Safe needs, and its owners. */
  readonly safeThreshold?: number;
  readonly safeOwners?: number;
}

/** How dangerous an authority is, from 0 to 100. One key is worse than an unknown account, every other kind is better. */
export const adminDanger = (authority: AdminInput): number => adminFactor(authority) ?? 90;
export const worstFirst = (a: Authority, b: Authority): number => adminDanger(b) - adminDanger(a);

/** Contracts between a vault and the account that acts: proxy admin, timelock, Safe. */
const maxSteps = 4;
export const maxDelaySeconds = 10 * 365 * 86_400;

/** Bytecode that returns size, hash and first word of the code of the account in its call data. */
const inspectCode: Hex = '0x600035803b600052803f602052602060006040833c60606000f3';
const inspector: Address = '0x00000000000000000000000000000000c0de1a5b';
export const withInspector = [{ address: inspector, code: inspectCode }];
/** First two bytes of the code of an account that EIP-7702 delegated. */
const delegationMark = 0xef01n;

/** Read the code of an account, with `withInspector`. */
export const codeRead = (account: Address): Read => ({ target: inspector, callData: pad(account) });

/** Ownable, Compound's timelock, Euler's factory, Yearn. */
const ownerFunctions = ['owner()', 'admin()', 'upgradeAdmin()', 'governance()'] as const;

/** Hashes of the code of Safe's proxies: 1.1.1, 1.3.0 and 1.4.1. */
const safeProxies = [
  0xaea7d4252f6245f301e540cfbee27d3a88de543af8e49c5c62405d5499fab7e5n,
  0xb89c1b3bdf2cf8827818646bce9a8f6e372885f8c55e5c07acbd307cb133b000n,
  0xd7d408ebcd99b2b70be43e20253d6d92a8ea8fab29bd3be7f55b10032331fb4cn,
];
/** The contracts behind them: 1.1.1, 1.2.0, and both addresses of 1.3.0, 1.3.0 L2; 1.4.1, 1.4.1 L2. */
const safeSingletons = [
  '0x34CfAC646f301356fAa8B21e94227e3583Fe3F5F',
  '0x6851D6fDFAfD08c0295C392436245E5bc78B0185',
  '0xd9Db270c1B5E3Bd161E8c8503c55cEABeE709552',
  '0x69f4D1788e39c87893C980c06EdF4b7f686e2938',
  '0x3E5c63644E683549055b9Be8653de26E0B4CD36E',
  '0xfb1bffC9d739B8D520DaF37dF666da4C687191EA',
  '0x41675C099F32341bf84BFc5382aF534df5C7461a',
  '0x29fcB43b46531BcA003ddC8FCB67FFE91900C762',
];

/** What an account says of itself; those `above` control it. */
interface Account extends Authority {
  readonly above?: readonly Address[];
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
  const accounts = new Map<Address, Account>();
  let unread = roots.flatMap((root) => root ?? []);
  for (let step = 0; step < maxSteps; step++) {
    unread = [...new Set(unread)].filter((account) => !accounts.has(account));
    if (unread.length === 0) break;
    const found = await read(unread.map(readsOf), withInspector);
    unread.forEach((account, index) => accounts.set(account, toAccount(found[index]!)));
    unread = unread.flatMap((account) => accounts.get(account)!.above ?? []);
  }

  const behind = (address: Address, steps: number): Authority => {
    const { above = [], ...account } = accounts.get(address) ?? {};
    const controllers = steps > 0 ? above.map((each) => behind(each, steps - 1)) : [];
    const [controller = {}] = controllers.sort(worstFirst);
    // A contract acts for its owner. Anybody can claim a delay, so the delay of a single key does not count.
    return adminDanger(controller) < adminDanger({ admin: 'eoa' })
      ? { ...controller, ...account }
      : controller;
  };
  return (account) => behind(account, maxSteps);
}

const readsOf = (account: Address): Read[] => [
  codeRead(account),
  ...['masterCopy()', 'getThreshold()', 'getOwners()', 'getMinDelay()', 'delay()', ...ownerFunctions].map(
    (signature) => toRead(account, signature),
  ),
];

function toAccount([code, singleton, threshold, owners, minDelay, delay, ...controllers]: readonly (
  Hex | undefined
)[]): Account {
  const [size, hash, head = 0n] = wordsOf(code);
  if (size === undefined) return {};
  if (size === 0n || head >> 240n === delegationMark) return { admin: 'eoa' };
  // Only the length of the list is read: it may be very long.
  const [safeThreshold, safeOwners] = [wordsOf(threshold)[0], wordsOf(owners)[1]].map(Number);
  // The proxy itself answers `masterCopy()`, so its code proves the singleton.
  const isSafe = safeProxies.includes(hash!) && safeSingletons.includes(addressOf(singleton)!);
  if (isSafe && safeThreshold! <= safeOwners!) return { admin: 'multisig', safeThreshold, safeOwners };
  const seconds = Number(wordsOf(minDelay)[0] ?? wordsOf(delay)[0] ?? 0n);
  const isTimelock = seconds > 0 && seconds <= maxDelaySeconds;
  return { above: addressesOf(controllers), ...(isTimelock && { admin: 'timelock', timelock: seconds }) };
}
