import type { Deployment } from '@yield-vault/chains';
import {
  createAnvilLauncher,
  createForkManager,
  createServiceProvider,
  createTenderlyLauncher,
  startForkRpc,
  type ForkChain,
  type ForkLauncher,
  type ForkLogger,
  type ForkProvider,
} from '@yield-vault/forks';

/** The persistent forks of a deployment, and where they answer. */
export interface ManagedForks {
  readonly provider: ForkProvider;
  /** The address for wallets and bundlers; it stays while the fork behind it is recreated. */
  readonly urlOf: (chain: string) => string;
  /** Stop answering there; the forks are the provider's. */
  readonly stopRpc: () => Promise<void>;
}

/**
 * Make what the deployment has its persistent forks from. None is created yet.
 *
 * @returns `undefined` where no forks are configured
 */
export async function openManagedForks(
  { environment, forks }: Pick<Deployment, 'environment' | 'forks'>,
  chains: readonly ForkChain[],
  logger: ForkLogger,
): Promise<ManagedForks | undefined> {
  switch (forks.provider) {
    case 'none':
      return undefined;
    case 'service': {
      const provider = createServiceProvider(forks);
      return { provider, urlOf: (chain) => provider.rpcUrl(chain), stopRpc: () => Promise.resolve() };
    }
    case 'anvil':
      return serve(createAnvilLauncher({ logger }), forks);
    case 'tenderly':
      return serve(createTenderlyLauncher({ ...forks, tag: environment, logger }), forks);
  }

  async function serve(launcher: ForkLauncher, { rpcPort, ...options }: OwnForks): Promise<ManagedForks> {
    const provider = createForkManager({ launcher, chains, options, logger });
    try {
      const rpc = await startForkRpc({ provider, port: rpcPort });
      return { provider, urlOf: (chain) => rpc.urlOf(chain), stopRpc: () => rpc.close() };
    } catch (error) {
      await provider.close();
      throw error;
    }
  }
}

/** Forks that this process manages itself. */
type OwnForks = Extract<Deployment['forks'], { readonly rpcPort: number }>;
