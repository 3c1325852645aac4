import { asReadFailure, type ActiveChain, type ActiveChains } from '@yield-vault/chains';
import { inspectSuite, type ContractInspection } from '@yield-vault/contracts';
import type { Logger } from 'pino';
import { reportPaymasterFunds } from './report-paymaster-funds.js';

/** List the contracts of a chain that are not those that its wallets are to use. */
export type SuiteFaults = (key: string) => Promise<readonly ContractInspection[]>;

/**
 * Make the look at the contracts that wallets of each chain delegate to. It is taken once; while a contract is missing,
 * again after a pause. Managed forks are left out: whoever makes them puts the contracts there.
 *
 * @returns a function that throws {UpstreamUnavailableError} when the node does not answer
 */
export function createSuiteFaults(wallets: ActiveChains, logger: Logger, pauseMs = 5_000): SuiteFaults {
  const looks = new Map<string, ReturnType<SuiteFaults>>();
  const reported = new Set<string>();

  async function look(chain: ActiveChain): ReturnType<SuiteFaults> {
    const { key, rpc, contracts, entryPointVersion, paymaster } = chain;
    const found = await inspectSuite(rpc, contracts, {
      entryPointVersion,
      paymaster: paymaster.kind === 'own' ? 'own' : 'other',
    }).catch((error: unknown) => {
      looks.delete(key);
      throw asReadFailure(error, `rpc:${key}`) ?? error;
    });
    const faults = found.filter(({ status }) => status !== 'ok');
    if (faults.length === 0) {
      await reportPaymasterFunds(chain, logger);
      return [];
    }
    setTimeout(() => looks.delete(key), pauseMs).unref();
    if (!reported.has(key)) report(key, faults, logger);
    reported.add(key);
    return faults;
  }

  return (key) => {
    const chain = wallets.find(key);
    if (chain?.relayMode !== 'chain') return Promise.resolve([]);
    const known = looks.get(key) ?? look(chain);
    looks.set(key, known);
    return known;
  };
}

function report(chain: string, faults: readonly ContractInspection[], logger: Logger): void {
  const contracts = faults.map(({ contract, address, status }) => ({ contract, address, status }));
  logger.error(
    { chain, contracts },
    'no wallet is set up on this chain until its contracts are deployed: docs/production.md says how',
  );
}
