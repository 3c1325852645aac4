import type { PrivateKeyAccount } from 'viem';
import type { BenchChain, Transaction } from './chain.js';
import { depositCalls, redeemCalls, type Contender } from './contender.js';

async function run(bench: BenchChain, account: PrivateKeyAccount, calls: readonly Transaction[]) {
  let gasUsed = 0n;
  for (const call of calls) gasUsed += (await bench.send(account, call)).gasUsed;
  return { gasUsed };
}

/** The floor: the EOA sends the transactions itself, approve and deposit apart. */
export const plainTransactions: Contender = {
  setUp: () => Promise.resolve({ gasUsed: 0n }),
  deposit: (bench, account, vault, assets) =>
    run(bench, account, depositCalls(account.address, vault, assets)),
  redeem: (bench, account, vault, shares) => run(bench, account, redeemCalls(account.address, vault, shares)),
};
