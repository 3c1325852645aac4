import {
  ForksNotConfiguredError,
  NotFoundError,
  type ForkStatusResponse,
  type FundWalletRequest,
  type FundWalletResponse,
} from '@yield-vault/protocol';
import type { EphemeralForks, ForkProvider } from './ports.js';
import { simulateUserOperation } from './simulation/simulate-user-operation.js';
import { buildFundWalletResponse } from './steps/build-fund-wallet-response.js';
import { fundingLimits, type TestingLimits } from './steps/funding-limits.js';
import { listKeptForks, pickActiveForks } from './steps/list-forks.js';
import { readForkStatus } from './steps/read-fork-status.js';
import { readFunding } from './steps/read-funding.js';
import { requireForkChain } from './steps/require-fork-chain.js';
import type { ForkChain, ForkRecord, UserOperationRequest, UserOperationSimulation } from './types.js';

export interface ForksDependencies {
  /** Persistent forks; `undefined` where none are configured. */
  readonly provider: ForkProvider | undefined;
  /** Forks of one use; `undefined` where nothing is simulated. */
  readonly ephemeral: EphemeralForks | undefined;
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
   * @throws {ForkNotRunningError} when the fork does not answer; retryable
   * @throws {ForkCapacityError} when there is no room for it; retryable
   * @throws {FundingFailedError} when the fork runs and could not mint
   */
  fundWallet(request: FundWalletRequest): Promise<FundWalletResponse>;
  /**
   * Describe the forks that there are. Creates none, and answers while the back end is down.
   *
   * @throws {NotFoundError} when the testing tools are off
   */
  forkStatus(): Promise<ForkStatusResponse>;
  /** List the forks that run or are being started, as far as the back end answers. Creates none, and never fails. */
  list(): Promise<readonly ForkRecord[]>;
  /**
   * Try a signed user operation at the newest block, as the bundler would send it. A failure is an answer, an outage
   * is an error.
   *
   * @throws {ForksNotConfiguredError} when the deployment simulates nothing
   * @throws {ForkCapacityError} when too many simulations wait; retryable
   * @throws {UpstreamUnavailableError} when the chain does not answer; retryable
   * @throws {ForkNotRunningError} when no fork could be kept running; retryable
   */
  simulateUserOperation(request: UserOperationRequest): Promise<UserOperationSimulation>;
  /** Take a fork at the newest block, use it, and destroy it whatever happens; see `EphemeralForks`. */
  withEphemeralFork: EphemeralForks['withEphemeralFork'];
  /**
   * Mine empty blocks on the persistent fork of a chain: nobody else confirms what happens on it.
   *
   * @throws {ForksNotConfiguredError} when the deployment has no persistent forks
   * @throws {ForkNotRunningError} when the fork does not answer; retryable
   */
  confirm(chain: string, blocks: number): Promise<void>;
  /** End every fork of one use, and give the persistent ones back to their provider. */
  close(): Promise<void>;
}

/** Make the forks of a deployment. They are asked for nothing yet. */
export function createForks(dependencies: ForksDependencies): Forks {
  const { chains, environment, preflightMode, rpcUrlOf } = dependencies;

  const requireProvider = () => dependencies.provider ?? fail('The deployment has no persistent forks.');
  const requireEphemeral = () => dependencies.ephemeral ?? fail('The deployment simulates nothing.');
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
      const { provider, ephemeral } = dependencies;
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
        ...(await readForkStatus(provider, ephemeral, chains, rpcUrlOf)),
      };
    },
    list: async () => pickActiveForks(await listKeptForks(dependencies.provider), dependencies.ephemeral),
    simulateUserOperation: async (request) =>
      simulateUserOperation(requireEphemeral(), requireForkChain(request.chain, chains), request),
    withEphemeralFork: async (chain, use, options) =>
      requireEphemeral().withEphemeralFork(chain, use, options),
    async confirm(chain, blocks) {
      const fork = await requireProvider().persistent(chain);
      await fork.mine(blocks);
    },
    async close() {
      // One after the other: ephemeral forks may stand on persistent ones.
      try {
        await dependencies.ephemeral?.close();
      } finally {
        await dependencies.provider?.close();
      }
    },
  });
}

function fail(detail: string): never {
  throw new ForksNotConfiguredError({ detail });
}
