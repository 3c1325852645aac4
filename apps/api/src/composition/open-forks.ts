import type { Deployment } from '@yield-vault/chains';
import {
  createForks,
  forkChains,
  type ForkLogger,
  type Forks,
  type MeteredEphemeralForks,
} from '@yield-vault/forks';
import type { ForksPort } from '../ports.js';
import { createEphemeral } from './create-ephemeral.js';
import { measureSimulations, type MeasuredSimulations } from './measure-simulations.js';
import { openManagedForks } from './open-managed-forks.js';
import { rememberFor } from './remember-for.js';
import { publicForkUrl } from './public-fork-url.js';
import { walletChains } from './wallet-chains.js';

/** The forks of a deployment, and the chains as wallets see them. */
export interface OpenForks {
  readonly port: ForksPort;
  /** Whether there is anything that managed forks come from. */
  readonly areConfigured: boolean;
  readonly walletChains: Deployment['chains'];
  /** Confirms what happened on a persistent fork. */
  readonly confirm: Forks['confirm'];
  /** `undefined` where preflight is off. */
  readonly simulator: Pick<MeasuredSimulations, 'simulate'> | undefined;
}

// The list may be a call to another host, and nothing limits who asks for metrics.
const listAgeMs = 1_000;

/** Build the forks of a deployment. None is created before its first use. */
export async function openForks(deployment: Deployment, logger: ForkLogger): Promise<OpenForks> {
  const { environment, preflight, testing } = deployment;
  const chains = forkChains(deployment);
  const managed = await openManagedForks(deployment, chains, logger);
  const seen = walletChains(deployment, managed?.urlOf);
  const ephemeral = createEphemeral(deployment, seen, managed?.provider, logger);
  const forks = createForks({
    provider: managed?.provider,
    ephemeral,
    chains,
    environment,
    preflightMode: preflight.mode,
    testing: testing.enabled ? testing : undefined,
    rpcUrlOf: (chain) => managed && publicForkUrl(deployment, managed.urlOf, chain),
  });
  const simulations = measureSimulations(
    (request) => forks.simulateUserOperation(request),
    preflight.mode === 'off' ? 'off' : preflight.strategy,
  );
  return {
    areConfigured: managed !== undefined,
    walletChains: seen,
    confirm: (chain, blocks) => forks.confirm(chain, blocks),
    simulator: ephemeral && simulations,
    port: {
      fundWallet: (request) => forks.fundWallet(request),
      forkStatus: () => forks.forkStatus(),
      list: rememberFor(listAgeMs, () => forks.list()),
      waiting: () => ephemeral?.stats().waiting ?? 0,
      shadow: () => shadowCounts(ephemeral),
      onSimulation: (listener) => simulations.onSimulation(listener),
      // The addresses go last: whoever still asks for a fork hears that it is being ended.
      close: () => forks.close().finally(managed?.stopRpc),
    },
  };
}

function shadowCounts(ephemeral: MeteredEphemeralForks | undefined): ReturnType<ForksPort['shadow']> {
  const { chains = {} } = ephemeral?.stats() ?? {};
  return Object.fromEntries(Object.entries(chains).map(([key, { shadow }]) => [key, shadow]));
}
