import { startBenchChain } from './chain.js';
import { benchVault, measureGas, type GasProfile } from './measure-gas.js';
import { plainTransactions } from './plain-transactions.js';
import { safeAccount } from './safe-account.js';
import { simpleAccount } from './simple-account.js';
import { yieldAccount } from './yield-account.js';

/** Gas of each contender, in one run on one chain. */
export interface GasRun {
  readonly plain: GasProfile;
  readonly reference: GasProfile;
  readonly safe: GasProfile;
  readonly ours: GasProfile;
}

/** Measure every contender on a fresh devnet. */
export async function runGas(): Promise<GasRun> {
  const bench = await startBenchChain();
  try {
    const vault = benchVault();
    return {
      plain: await measureGas(bench, plainTransactions, vault),
      reference: await measureGas(bench, simpleAccount, vault),
      safe: await measureGas(bench, safeAccount, vault),
      ours: await measureGas(bench, yieldAccount, vault),
    };
  } finally {
    await bench.stop();
  }
}
