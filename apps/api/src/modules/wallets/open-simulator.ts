import type { Deployment } from '@yield-vault/deployment';
import { forkChains, type ForkProvider } from '@yield-vault/forks';
import { createSimulator, type Simulator, type SimulatorOptions } from '@yield-vault/forks/preflight';
import type { LoggerPort } from '@yield-vault/protocol';

/**
 * Make the simulator of the chains that wallets act on, and probe their RPC endpoints.
 *
 * @param chains - as wallets see them
 * @param forks - makes a fork where no endpoint simulates
 * @param newestBlock - the newest block of a chain that the process has seen
 * @returns `undefined` where preflight is off
 * @throws {ForksNotConfiguredError} when a chain cannot be simulated
 */
export async function openSimulator(
  { preflight, forks: { maxForks } }: Pick<Deployment, 'preflight' | 'forks'>,
  chains: Deployment['chains'],
  forks: ForkProvider | undefined,
  newestBlock: SimulatorOptions['newestBlock'],
  logger: LoggerPort,
): Promise<Simulator | undefined> {
  if (preflight.mode === 'off') return undefined;
  const usable = Object.fromEntries(Object.entries(chains).filter(([, { rpcUrls }]) => rpcUrls.length > 0));
  const simulator = createSimulator({
    chains: forkChains({ chains: usable }),
    limits: { ...preflight, concurrency: Math.min(preflight.concurrency, maxForks) },
    newestBlock,
    forks,
    // A new fork copies the chain itself, without the operations of wallets on the managed fork.
    canFork: (key) => usable[key]?.relayMode === 'chain',
    logger,
  });
  const probed = simulator.probe();
  if (!forks) await probed;
  else probed.catch((error: unknown) => logger.error({ err: error }, 'preflight cannot simulate a chain'));
  return simulator;
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
