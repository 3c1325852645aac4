import {
  ForksNotConfiguredError,
  NotFoundError,
  type ForkStatusResponse,
  type FundWalletRequest,
  type FundWalletResponse,
} from '@yield-vault/protocol';
import { listKeptForks, pickActiveForks, readForkStatus } from './fork-status.js';
import { buildFundWalletResponse, fundingLimits, readFunding, type TestingLimits } from './fund-wallet.js';
import type { ForkProvider } from './ports.js';
import type { Simulator } from './simulation/create-simulator.js';
import type { UserOperationRequest, UserOperationSimulation } from './simulation/types.js';
import type { ActiveFork, ForkChain } from './types.js';

export interface ForksDependencies {
  /** Persistent forks; `undefined` where none are configured. */
  readonly provider: ForkProvider | undefined;
  /** `undefined` where nothing is simulated. */
  readonly simulator: Simulator | undefined;
  readonly chains: readonly ForkChain[];
  readonly environment: string;
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
  /** List the forks and simulations that run or start, as far as the back end responds. Creates none, and never fails. */
  list(): Promise<readonly ActiveFork[]>;
  /**
   * Simulate a signed user operation; see `Simulator`.
   *
   * @throws {ForksNotConfiguredError} when the deployment simulates nothing
   */
  simulateUserOperation(request: UserOperationRequest): Promise<UserOperationSimulation>;
  /**
   * Mine empty blocks on the persistent fork of a chain, which confirms its newest transactions.
   *
   * @throws {ForksNotConfiguredError} when the deployment has no persistent forks
   * @throws {ForkNotRunningError} when the fork does not respond; retryable
   */
  confirm(chain: string, blocks: number): Promise<void>;
  /** End every simulation, then close the provider of the persistent forks. */
  close(): Promise<void>;
}

/** Make the forks of a deployment. Creates none yet. */
export function createForks(dependencies: ForksDependencies): Forks {
  const { chains, environment, preflightMode, rpcUrlOf } = dependencies;

  const requireProvider = () => dependencies.provider ?? fail('The deployment has no persistent forks.');
  const requireSimulator = () => dependencies.simulator ?? fail('The deployment simulates nothing.');
  const requireTesting = () => {
    if (dependencies.testing) return dependencies.testing;
    throw new NotFoundError({ detail: 'The testing tools are off on this deployment.' });
  };

  return Object.freeze<Forks>({
    async fundWallet(request) {
      const limits = requireTesting();
      const funding = readFunding(request, chains, limits);
      const fork = await requireProvider().persistent(funding.chain.key);
      const { address, ethWei, usdcBaseUnits } = funding;
      const balances = await fork.fund({
        address,
        ...(ethWei > 0n && { ethWei }),
        ...(usdcBaseUnits > 0n && { usdcBaseUnits }),
      });
      return buildFundWalletResponse(funding, balances, { environment, forkId: fork.id, limits });
    },
    async forkStatus() {
      const limits = requireTesting();
      const { provider, simulator } = dependencies;
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
    list: async () => pickActiveForks(await listKeptForks(dependencies.provider), dependencies.simulator),
    simulateUserOperation: async (request) => requireSimulator().simulate(request),
    async confirm(chain, blocks) {
      const fork = await requireProvider().persistent(chain);
      await fork.mine(blocks);
    },
    async close() {
      // One after the other: the provider destroys the simulator's forks.
      try {
        await dependencies.simulator?.close();
      } finally {
        await dependencies.provider?.close();
      }
    },
  });
}

function fail(detail: string): never {
  throw new ForksNotConfiguredError({ detail });
}
