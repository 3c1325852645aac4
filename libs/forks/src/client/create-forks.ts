import {
  NotFoundError,
  type ForkStatusResponse,
  type FundWalletRequest,
  type FundWalletResponse,
  type Environment,
} from '@yield-vault/protocol';
import type { ForkChain, ForkProvider } from '../types.js';
import { readForkStatus, type RunningSimulations } from './fork-status.js';
import { buildFundWalletResponse, fundingLimits, readFunding, type TestingLimits } from './fund-wallet.js';

export interface ForksDependencies {
  readonly provider: ForkProvider;
  /** `undefined` where nothing is simulated. */
  readonly simulator: (RunningSimulations & { close(): Promise<void> }) | undefined;
  readonly chains: readonly ForkChain[];
  readonly environment: Environment;
  readonly preflightMode: 'off' | 'enforce';
  /** `undefined` where the testing tools are off. */
  readonly testing: TestingLimits | undefined;
  /** The public RPC address of a chain's persistent fork; `undefined` where it is not to be shown. */
  readonly rpcUrlOf: (chain: string) => string | undefined;
}

export interface Forks {
  /**
   * Mint ETH and USDC to a wallet on the persistent fork of a chain, which is created when it is missing.
   *
   * @throws {NotFoundError} when the testing tools are off
   * @throws {InvalidParametersError} when a field is malformed, or neither amount is given
   * @throws {ChainNotActiveError} when the chain is not active
   * @throws {TestingCapExceededError} when an amount is over the cap of one call; `details.limits` has the caps
   * @throws {WalletNotAllowedError} when only listed wallets are funded
   * @throws {ForksNotConfiguredError} when the deployment has no persistent forks
   * @throws {ForkNotRunningError} when the fork does not respond; retryable
   * @throws {ForkCapacityError} when there is no room for it; retryable
   * @throws {FundingFailedError} when the fork runs and could not mint
   */
  fundWallet(request: FundWalletRequest): Promise<FundWalletResponse>;
  /**
   * Describe all forks. Creates none, and responds also while the fork service is down.
   *
   * @throws {NotFoundError} when the testing tools are off
   */
  forkStatus(): Promise<ForkStatusResponse>;
  /** End every simulation, then close the provider of the persistent forks. */
  close(): Promise<void>;
}

/** Make the forks of a deployment. Creates none yet. */
export function createForks(dependencies: ForksDependencies): Forks {
  const { provider, simulator, chains, environment, preflightMode, testing, rpcUrlOf } = dependencies;
  const requireTesting = () => {
    if (testing) return testing;
    throw new NotFoundError({ detail: 'The testing tools are off on this deployment.' });
  };

  return Object.freeze<Forks>({
    async fundWallet(request) {
      const limits = requireTesting();
      const funding = readFunding(request, chains, limits);
      const fork = await provider.persistent(funding.chain.key);
      const { address, ethWei, usdcBaseUnits } = funding;
      const balances = await fork.fund({
        address,
        ethWei: ethWei || undefined,
        usdcBaseUnits: usdcBaseUnits || undefined,
      });
      return buildFundWalletResponse(funding, balances, { environment, forkId: fork.id, limits });
    },
    async forkStatus() {
      const limits = requireTesting();
      return {
        success: true,
        environment,
        preflightMode,
        limits: fundingLimits(limits),
        supportedTokens: chains.map(({ key, chainId, usdc }) => ({
          chain: key,
          chainId,
          tokens: { usdc: usdc.address },
        })),
        ...(await readForkStatus(provider, simulator, chains, rpcUrlOf)),
      };
    },
    async close() {
      // One after the other: the provider destroys the simulator's forks.
      try {
        await simulator?.close();
      } finally {
        await provider.close();
      }
    },
  });
}
