import { canonical, suite } from '@yield-vault/contracts';
import { createEphemeralForks, createForks } from '@yield-vault/forks';
import { benchVault } from '../gas/measure-gas.js';
import type { SignedOperation } from '../sign-operation.js';

const silent = { info() {}, warn() {}, error() {} };
const chainId = 8453;
const concurrency = 64;

/** The simulations of the library, as a server uses them. */
export interface Preflight {
  /** Simulate a deposit; anything but its success is an error. */
  simulate(operation: SignedOperation): Promise<void>;
  close(): Promise<void>;
}

/**
 * Open the simulations of a chain.
 *
 * @param maxHeadAgeMs - how long the newest block may be taken for granted
 */
export function openPreflight(
  upstreamUrl: string,
  maxHeadAgeMs: number,
  strategy: 'overlay' | 'process' = 'overlay',
): Preflight {
  const chain = {
    key: 'base',
    chainId,
    upstreamUrls: [upstreamUrl],
    opStack: true,
    entryPoint: canonical.entryPointV08,
    contracts: suite,
    paymaster: 'own' as const,
    usdc: { address: canonical.usdc[chainId] },
    bundlerAccounts: [],
  };
  const ephemeral = createEphemeralForks({
    chains: [{ ...chain, maxHeadAgeMs }],
    options: {
      strategy,
      concurrency,
      queueLimit: 1_000,
      deadlineMs: 30_000,
      maxForks: concurrency,
      shadowFraction: 0,
    },
    logger: silent,
  });
  const forks = createForks({
    provider: undefined,
    ephemeral,
    chains: [chain],
    environment: 'bench',
    preflightMode: 'enforce',
    testing: undefined,
    rpcUrlOf: () => undefined,
  });
  const { address, asset } = benchVault();
  return {
    async simulate({ operation, userOpHash }) {
      const verdict = await forks.simulateUserOperation({
        chain: chain.key,
        operation,
        userOpHash,
        tokens: [asset, address],
        template: `deposit:${address.toLowerCase()}`,
      });
      if (!verdict.success) throw new Error(`The simulation failed: ${verdict.revertReason}`);
    },
    close: () => forks.close(),
  };
}
