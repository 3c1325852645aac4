import { setTimeout as sleep } from 'node:timers/promises';
import { entryPointV08Abi } from '@yield-vault/contracts';
import type { DatabaseHandle } from '@yield-vault/database';
import { createPublicClient, getAbiItem, http } from 'viem';
import { devnetChains } from '../support/devnet.js';
import type { Attempt, Deposit } from './deposit.js';

const decisionSeconds = 60;

/** What the chain and the ledger say of a run. Each list must be empty. */
export interface Judgement {
  readonly includedTwice: readonly string[];
  readonly wronglyToldToPrepare: readonly string[];
  readonly undecided: readonly string[];
  /** Deposits that reached the chain. */
  readonly included: number;
}

/** Compare what callers were told, and what the ledger holds a minute after each expiry, with the chain. */
export async function judgeRun(
  deposits: readonly Deposit[],
  database: DatabaseHandle,
  fromBlock: bigint,
): Promise<Judgement> {
  const attempts = deposits.flatMap((deposit) => deposit.attempts.map((attempt) => ({ deposit, attempt })));
  const decidedAt = Math.max(...attempts.map(({ attempt }) => attempt.expiry)) + decisionSeconds;
  const states = await untilDecided(database, decidedAt);
  const included = await readIncluded(fromBlock);
  const isIncluded = ({ userOpHash }: Attempt) => included.has(userOpHash.toLowerCase());
  const describe = ({ deposit, attempt }: (typeof attempts)[number]) =>
    `${deposit.name}: ${attempt.intentId} is ${states.get(attempt.intentId) ?? 'unknown'}, told ${attempt.told} (${[...attempt.codes].join(', ')}), ${isIncluded(attempt) ? 'included' : 'not included'}`;
  const select = (fits: (attempt: Attempt, deposit: Deposit) => boolean) =>
    attempts.filter(({ attempt, deposit }) => fits(attempt, deposit)).map(describe);

  return {
    includedTwice: deposits
      .filter(({ attempts: all }) => all.filter(isIncluded).length > 1)
      .map(({ name, depositor }) => `${name}: ${depositor.address}`),
    wronglyToldToPrepare: select((attempt) => attempt.told === 'prepare again' && isIncluded(attempt)),
    // A final result is the chain's: confirmed if and only if it is included.
    undecided: select((attempt, { isAbandoned }) => {
      const state = states.get(attempt.intentId);
      const isConfirmed = state === 'confirmed';
      const isOpen = state !== undefined && !['confirmed', 'failed', 'expired'].includes(state);
      return isOpen || isConfirmed !== isIncluded(attempt) || (!isAbandoned && attempt.told === 'call again');
    }),
    included: attempts.filter(({ attempt }) => isIncluded(attempt)).length,
  };
}

/** Wait until no intent is open, at most until a time. */
async function untilDecided({ db }: DatabaseHandle, deadlineSeconds: number): Promise<Map<string, string>> {
  for (;;) {
    const rows = await db.selectFrom('intent').select(['intent_id', 'state']).execute();
    const isOpen = rows.some(({ state }) => !['confirmed', 'failed', 'expired'].includes(state));
    if (!isOpen || Date.now() / 1000 > deadlineSeconds)
      return new Map(rows.map(({ intent_id, state }) => [intent_id, state]));
    await sleep(500);
  }
}

async function readIncluded(fromBlock: bigint): Promise<ReadonlySet<string>> {
  const { rpcUrl, entryPoint } = devnetChains().base;
  const logs = await createPublicClient({ transport: http(rpcUrl) }).getLogs({
    address: entryPoint,
    event: getAbiItem({ abi: entryPointV08Abi, name: 'UserOperationEvent' }),
    fromBlock,
    strict: true,
  });
  return new Set(logs.filter(({ args }) => args.success).map(({ args }) => args.userOpHash.toLowerCase()));
}
