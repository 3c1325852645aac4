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
import { listForks } from './list-forks.js';
import { measureSimulations, type MeasuredSimulations } from './measure-simulations.js';
import { openManagedForks } from './open-managed-forks.js';
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
    rpcUrlOf: (chain) => (testing.enabled && testing.publicRpcUrls ? managed?.urlOf(chain) : undefined),
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
      list: () => listForks(managed?.provider, ephemeral),
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
