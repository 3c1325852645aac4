import { inspectContracts, type ContractInspection } from '@yield-vault/contracts';
import { UpstreamUnavailableError } from '@yield-vault/protocol';
import type { ActiveChain, ActiveChains } from './active-chains.js';
import { readFromNode } from './as-upstream-error.js';
import type { CheckLog } from './check-call-gas.js';

const retryAfterSeconds = 60;

/** Checks whether the contracts that wallets delegate to are deployed. */
export interface ContractCheck {
  /**
   * List the contracts of a chain that are missing or have other code. Empty on a managed fork: its fork service deploys them.
   *
   * @throws {UpstreamUnavailableError} when the node does not respond
   */
  faults(chain: string): Promise<readonly ContractInspection[]>;
  /**
   * Refuse a setup while a contract is missing: the wallet would pay for a transaction that succeeds and sets nothing up.
   *
   * @throws {UpstreamUnavailableError} when a contract is missing, or the node does not respond
   */
  require(chain: string): Promise<void>;
}

/**
 * Create the check of the contracts of each chain. A chain that passes is checked once. A chain that fails is checked again
 * after a pause. The check logs missing contracts once.
 *
 * @param pauseMs - between two checks of a chain that failed
 */
export function createContractCheck(
  chains: Pick<ActiveChains, 'find'>,
  log: Pick<CheckLog, 'error'>,
  pauseMs = 20_000,
): ContractCheck {
  const checks = new Map<string, Promise<readonly ContractInspection[]>>();
  const reported = new Set<string>();

  async function check(chain: ActiveChain): Promise<readonly ContractInspection[]> {
    const { key, rpc, contracts, paymaster } = chain;
    const inspection = inspectContracts(rpc, contracts, {
      paymaster: paymaster.kind === 'own' ? 'own' : 'other',
    });
    const found = await readFromNode(chain, inspection).catch((error: unknown) => {
      checks.delete(key);
      throw error;
    });
    const faults = found.filter(({ status }) => status !== 'ok');
    if (faults.length === 0) return [];
    setTimeout(() => checks.delete(key), pauseMs).unref();
    if (!reported.has(key)) {
      const list = faults.map(({ contract, address, status }) => ({ contract, address, status }));
      log.error(
        { chain: key, contracts: list },
        'Contracts are missing on this chain: no wallet can be set up. docs/production.md shows how to deploy them.',
      );
    }
    reported.add(key);
    return faults;
  }

  const faultsOf: ContractCheck['faults'] = (key) => {
    const chain = chains.find(key);
    if (chain?.relayMode !== 'chain') return Promise.resolve([]);
    const known = checks.get(key) ?? check(chain);
    checks.set(key, known);
    return known;
  };
  return {
    faults: faultsOf,
    async require(chain) {
      const faults = await faultsOf(chain);
      if (faults.length === 0) return;
      const list = faults.map(({ contract, address, status }) => `${contract} ${status} at ${address}`);
      throw new UpstreamUnavailableError({
        detail: `No wallet can be set up on ${chain} until its contracts are deployed: ${list.join(', ')}.`,
        details: {
          dependency: `contracts:${chain}`,
          contracts: Object.fromEntries(faults.map(({ contract, status }) => [contract, status])),
        },
        nextAction: 'Use another chain, or ask the operator to deploy the contracts.',
        retryAfterSeconds,
      });
    },
  };
}
