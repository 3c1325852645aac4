import type { Deployment } from '@yield-vault/deployment';
import {
  createForks,
  createServiceProvider,
  createSimulator,
  forkChains,
  type ForkLogger,
  type ForkProvider,
  type Forks,
  type Simulator,
  type SimulatorOptions,
} from '@yield-vault/forks';
import type { ChainConfig } from '@yield-vault/chains';
import { cacheFor } from '@yield-vault/server';
import type { ForksPort } from '../../ports.js';
import { measureSimulations, type MeasuredSimulations } from './measure-simulations.js';

/** The forks of a deployment, and the chains as wallets see them. */
export interface ManagedForks {
  readonly port: ForksPort;
  /** Whether a fork service is configured. */
  readonly areConfigured: boolean;
  readonly walletChains: Deployment['chains'];
  /** Mines blocks on a persistent fork, which confirms its newest transactions. */
  readonly confirm: Forks['confirm'];
  /** `undefined` where preflight is off. */
  readonly simulator: Pick<MeasuredSimulations, 'simulate'> | undefined;
}

// Listing calls the fork service, and nothing limits how often metrics are read.
const listAgeMs = 1_000;

/**
 * Build the forks of a deployment. The fork service creates each one on its first use.
 *
 * @param newestBlock - the newest block of a chain that the process has seen
 * @throws {ForksNotConfiguredError} when preflight is enforced and a chain cannot be simulated
 */
export async function openForks(
  deployment: Deployment,
  newestBlock: NonNullable<SimulatorOptions['newestBlock']>,
  logger: ForkLogger,
): Promise<ManagedForks> {
  const { environment, preflight, testing } = deployment;
  const chains = forkChains(deployment);
  const provider =
    deployment.forks.provider === 'service' ? createServiceProvider(deployment.forks) : undefined;
  const urlOf = provider && ((chain: string) => provider.rpcUrl(chain));
  const seen = walletChains(deployment, urlOf);
  const simulator = await openSimulator({ deployment, seen, provider, newestBlock, logger });
  const forks = createForks({
    provider,
    simulator,
    chains,
    environment,
    preflightMode: preflight.mode,
    testing: testing.enabled ? testing : undefined,
    rpcUrlOf: (chain) => urlOf && publicForkUrl(deployment, urlOf, chain),
  });
  const simulations = measureSimulations((request) => forks.simulateUserOperation(request));
  return {
    areConfigured: provider !== undefined,
    walletChains: seen,
    confirm: (chain, blocks) => forks.confirm(chain, blocks),
    simulator: simulator && simulations,
    port: {
      fundWallet: (request) => forks.fundWallet(request),
      forkStatus: () => forks.forkStatus(),
      list: cacheFor(listAgeMs, () => forks.list()),
      waiting: () => simulator?.waiting() ?? 0,
      onSimulation: (listener) => simulations.onSimulation(listener),
      close: () => forks.close(),
    },
  };
}

/** Make the simulator of the chains that wallets act on, and probe their RPC endpoints. */
async function openSimulator({
  deployment: { preflight, forks },
  seen,
  provider,
  newestBlock,
  logger,
}: {
  readonly deployment: Pick<Deployment, 'preflight' | 'forks'>;
  readonly seen: Deployment['chains'];
  readonly provider: ForkProvider | undefined;
  readonly newestBlock: SimulatorOptions['newestBlock'];
  readonly logger: ForkLogger;
}): Promise<Simulator | undefined> {
  if (preflight.mode === 'off') return undefined;
  const simulator = createSimulator({
    chains: forkChains({ chains: seen }),
    limits: { ...preflight, concurrency: Math.min(preflight.concurrency, forks.maxForks) },
    ...(newestBlock && { newestBlock }),
    ...(provider && { forks: provider }),
    // A new fork copies the chain itself, without the operations of wallets on the managed fork.
    canFork: (key) => seen[key]?.relayMode === 'chain',
    logger,
  });
  const probed = simulator.probe();
  if (!provider) await probed;
  else probed.catch((error: unknown) => logger.error({ err: error }, 'preflight cannot simulate a chain'));
  return simulator;
}

/**
 * List the chains that wallets act on. A managed fork replaces the RPC of its chain.
 *
 * @param forkUrlOf - address of the persistent fork of a chain; `undefined` where no forks are configured
 */
export function walletChains(
  { chains }: Pick<Deployment, 'chains'>,
  forkUrlOf: ((chain: string) => string) | undefined,
): Deployment['chains'] {
  const seen = Object.entries(chains).flatMap(([key, config]): [string, ChainConfig][] => {
    if (config.relayMode === 'chain') return [[key, config]];
    // A fork makes blocks only for the operations of wallets.
    const { maxHeadAgeSeconds: _, ...fork } = config;
    return forkUrlOf ? [[key, { ...fork, rpcUrls: [forkUrlOf(key)] }]] : [];
  });
  return Object.fromEntries(seen);
}

/**
 * The address at which callers reach the persistent fork of a chain.
 *
 * @param urlOf - the address at which this server reaches it
 * @returns `undefined` where the deployment does not show it
 */
export function publicForkUrl(
  { testing }: Pick<Deployment, 'testing'>,
  urlOf: (chain: string) => string,
  chain: string,
): string | undefined {
  if (!testing.enabled) return undefined;
  const { publicRpcBaseUrl, publicRpcUrls } = testing;
  if (publicRpcBaseUrl !== undefined) return `${publicRpcBaseUrl}/rpc/${chain}`;
  return publicRpcUrls ? urlOf(chain) : undefined;
}
