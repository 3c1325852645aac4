import { createAgentClient, type AgentClient } from '@yield-vault/agent-client';
import {
  asBundlerRejection,
  BundlerRejection,
  createActiveChains,
  type ActiveChain,
  type Bundler,
} from '@yield-vault/chains';
import type { DatabaseHandle } from '@yield-vault/database';
import type { Deployment } from '@yield-vault/deployment';
import { createDatabaseIntentStore, createExecutionRelay } from '@yield-vault/execution-relay';
import { forkChains, type Fork } from '@yield-vault/forks';
import { simulateOnFork } from '@yield-vault/forks/preflight';
import { createIntentBuilder } from '@yield-vault/intent-builder';
import { userOperationHash, vaultIdOf } from '@yield-vault/protocol';
import { delegationCode } from '@yield-vault/smart-account';
import { checkVaults, type RegistryEntry } from '@yield-vault/vault-discovery';
import { CommandFailure } from '../io.js';

const executionReverted = -32521;
// More than our account and paymasters need; the call itself is estimated.
const otherGas = {
  verificationGasLimit: 100_000n,
  preVerificationGas: 60_000n,
  paymasterVerificationGasLimit: 150_000n,
  paymasterPostOpGasLimit: 40_000n,
} as const;

/**
 * Make a service for one vault on a fork of its chain: prepare and execute of the product, and a bundler in this process.
 *
 * @throws {CommandFailure} when the chain contradicts the registry about the vault
 */
export async function createForkClient(
  { chains: configs, intents, setup, relay }: Deployment,
  entry: RegistryEntry,
  fork: Fork,
  database: DatabaseHandle,
): Promise<AgentClient> {
  const { chain: key, chainId, address: vaultAddress } = entry;
  const { maxHeadAgeSeconds: _, ...config } = configs[key]!;
  const forked = { ...config, confirmations: 0, rpcUrls: [fork.rpcUrl], bundlerUrls: [] };
  const active = createActiveChains({ chains: { [key]: forked } });
  const chain = active.require(key);
  const { checked, mismatches } = await checkVaults(chain.rpc, [entry]);
  if (!checked[0]) throw new CommandFailure(mismatches[0]!.reason);
  const { shareDecimals } = checked[0];
  const vault = { ...entry, vaultId: vaultIdOf(chainId, vaultAddress), vaultAddress, shareDecimals };

  const upstream = createActiveChains({ chains: configs }).require(key);
  const withBundler = { ...chain, bundler: createForkBundler(chain, upstream, fork) };
  const chains = { ...active, findById: () => withBundler, require: () => withBundler };
  const builder = createIntentBuilder({
    chains,
    vaults: { find: () => vault, isStale: () => false },
    options: { ...intents, ...setup },
  });
  const executionRelay = createExecutionRelay({
    chains,
    vaults: { byAddress: () => ({ ...vault, listed: true }) },
    store: createDatabaseIntentStore(database),
    options: { waitSeconds: relay.executeWaitSeconds, lifetimeSeconds: intents.expirySeconds },
  });
  return {
    ...createAgentClient({ baseUrl: fork.rpcUrl }),
    prepare: ({ operation = 'deposit', ...request }) =>
      builder.prepare({ ...request, chain: key, operation }),
    gaslessSetup: (body) => builder.gaslessSetup(body),
    execute: (body) => executionRelay.execute(body),
  };
}

/** A bundler that sends each operation alone, with the fees of the real chain. */
function createForkBundler(chain: ActiveChain, upstream: ActiveChain, fork: Fork): Bundler {
  const { key, chainId, rpc, entryPoint, contracts } = chain;
  const [forkChain] = forkChains({ chains: { [key]: chain } });
  return {
    gasPrice: () => upstream.rpc.estimateFeesPerGas(),
    estimate: async ({ sender, callData, authorization }, stateOverride = []) => {
      const delegated = { address: sender, code: delegationCode(contracts.account) };
      const call = {
        account: entryPoint,
        to: sender,
        data: callData,
        stateOverride: authorization ? [delegated, ...stateOverride] : stateOverride,
      };
      const callGasLimit = await rpc.estimateGas(call).catch((error: unknown) => {
        throw asBundlerRejection(error) ?? error;
      });
      return { callGasLimit, ...otherGas };
    },
    send: async (operation) => {
      const userOpHash = userOperationHash(operation, entryPoint, chainId, contracts.account);
      const pendingDelegation = operation.factory && contracts.account;
      const request = { chain: key, operation, userOpHash, pendingDelegation };
      const result = await simulateOnFork(fork, forkChain!, request, Date.now());
      if (result.success) return { outcome: 'accepted', userOpHash };
      const message = `${result.aaCode ?? ''} ${result.revertReason}`;
      const rejection = new BundlerRejection({ bundlerCode: executionReverted, message });
      return { outcome: 'refused', rejection };
    },
    receipt: () => Promise.resolve(null),
    status: () => Promise.resolve(undefined),
    holds: () => Promise.resolve('unsupported'),
  };
}
