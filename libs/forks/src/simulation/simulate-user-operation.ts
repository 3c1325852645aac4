import { sameHex, type UserOperation } from '@yield-vault/protocol';
import { delegationCode } from '@yield-vault/smart-account';
import { RpcRequestError, type Address } from 'viem';
import { ZodError } from 'zod';
import type { ForkChain } from '../types.js';
import { balanceCall, balanceChanges, bundleCall, bundlerBalance, simulatedBundler } from './bundle-calls.js';
import { unavailable } from './create-endpoints.js';
import { explainPrefund } from './explain-prefund.js';
import { readOutcome } from './read-outcome.js';
import { runOnFork, type SimulatingFork } from './run-on-fork.js';
import { simulateCalls, type BlockOverrides } from './simulate-v1.js';
import type {
  ForkBackend,
  NewestBlock,
  SimulatedCall,
  SimulatedCalls,
  StateOverrides,
  UserOperationRequest,
  UserOperationSimulation,
} from './types.js';

type Send = (parameters: readonly unknown[]) => Promise<unknown>;

// The codes of the entry point for a block time or gas price that does not fit the operation.
const blockDependent = new Set(['AA22', 'AA32', 'AA50', 'AA51']);

/**
 * Simulate a signed operation on a node. A failure that may come from the overridden time or base fee is simulated
 * again with the node's own block. Further requests explain AA34.
 *
 * @param send - sends `eth_simulateV1` with these parameters
 * @param block - what replaces time and base fee of the node's next block
 * @throws {UpstreamUnavailableError} the node cannot simulate now; retryable
 */
export async function simulateOnNode(
  send: Send,
  chain: ForkChain,
  request: UserOperationRequest,
  block: BlockOverrides | undefined,
): Promise<UserOperationSimulation> {
  const { calls, tokens } = bundle(chain, request);
  const overrides = stateOverrides(request);
  const attempt = async (blockOverrides: BlockOverrides | undefined) => {
    const simulated = await simulateCalls(send, calls, overrides, blockOverrides).catch(
      throwUnreadable(chain),
    );
    return readSimulated('node', chain, request, tokens, calls[1], simulated);
  };
  const first = await attempt(block);
  const result = block && dependsOnBlock(first) ? await attempt(undefined) : first;
  if (!result.success && result.revertReason === 'BLOCK_OUT_OF_ORDER') throw unavailable(chain.key);
  return explain(result, send, chain, request, overrides);
}

/**
 * Run a signed operation on an Anvil fork of its own, by the transaction that a bundler would send.
 *
 * @param now - Unix milliseconds
 * @throws {ForkNotRunningError} the fork does not respond; retryable
 */
export async function simulateOnFork(
  fork: SimulatingFork,
  chain: ForkChain,
  request: UserOperationRequest,
  now: number,
): Promise<UserOperationSimulation> {
  const { calls, tokens } = bundle(chain, request);
  const simulated = await runOnFork(fork, calls, stateOverrides(request), now).catch(throwUnreadable(chain));
  const result = readSimulated('anvil', chain, request, tokens, calls[1], simulated);
  return explain(result, (parameters) => fork.request('eth_simulateV1', parameters), chain, request, {});
}

/**
 * Choose time and base fee of the simulated block.
 *
 * @param now - Unix milliseconds
 * @returns `undefined` when no block was seen yet
 */
export function nextBlock(newest: NewestBlock | undefined, now: number): BlockOverrides | undefined {
  if (!newest) return undefined;
  const { timestamp, baseFeePerGas } = newest;
  const seconds = BigInt(Math.floor(now / 1_000));
  return {
    time: seconds > timestamp ? seconds : timestamp + 1n,
    ...(baseFeePerGas !== null && { baseFeePerGas }),
  };
}

/** Balances before, the bundle, balances after. */
export type BundleCalls = readonly [SimulatedCall, SimulatedCall, SimulatedCall];

function bundle(
  { entryPoint, usdc }: ForkChain,
  { operation, tokens = [] }: UserOperationRequest,
): { readonly calls: BundleCalls; readonly tokens: readonly Address[] } {
  const compared = distinct([usdc.address, ...tokens]);
  const read = balanceCall(operation.sender, compared);
  return { calls: [read, bundleCall(entryPoint, operation), read], tokens: compared };
}

function stateOverrides({ operation, pendingDelegation }: UserOperationRequest): StateOverrides {
  return {
    [simulatedBundler]: { balance: bundlerBalance },
    ...(pendingDelegation && { [operation.sender]: { code: delegationCode(pendingDelegation) } }),
  };
}

function readSimulated(
  backend: ForkBackend,
  { key, entryPoint }: ForkChain,
  { operation, userOpHash }: UserOperationRequest,
  tokens: readonly Address[],
  call: SimulatedCall,
  simulated: SimulatedCalls,
): UserOperationSimulation {
  if ('refused' in simulated) {
    return { backend, gasUsed: 0n, success: false, revertReason: simulated.refused, revertData: '0x' };
  }
  const [before, executed, after, ...others] = simulated.calls;
  // Each result belongs to its call only when there is one for each.
  if (!before || !executed || !after || others.length > 0) throw unavailable(key);
  const outcome = readOutcome({ entryPoint, operation, userOpHash, call }, executed);
  const facts = { backend, gasUsed: executed.gasUsed };
  if (!outcome.success) return { ...facts, ...outcome };
  return { ...facts, ...outcome, balanceChanges: balanceChanges(tokens, before, after) };
}

/** A node or fork responds with an error when it cannot read the chain. */
function throwUnreadable({ key }: ForkChain) {
  return (error: unknown): never => {
    throw error instanceof RpcRequestError || error instanceof ZodError ? unavailable(key, error) : error;
  };
}

function dependsOnBlock(simulation: UserOperationSimulation): boolean {
  if (simulation.success) return false;
  const { aaCode, revertReason } = simulation;
  if (aaCode !== undefined) return blockDependent.has(aaCode);
  return revertReason === 'FEE_TOO_LOW' || revertReason === 'BLOCK_OUT_OF_ORDER';
}

async function explain(
  result: UserOperationSimulation,
  send: Send,
  chain: ForkChain,
  { operation }: { readonly operation: UserOperation },
  overrides: StateOverrides,
): Promise<UserOperationSimulation> {
  if (result.success || result.aaCode !== 'AA34') return result;
  const simulate = async (call: SimulatedCall) => {
    const simulated = await simulateCalls(send, [call], overrides);
    return 'calls' in simulated ? simulated.calls[0] : undefined;
  };
  // The failure is known. An error while explaining it changes nothing.
  const revertReason = await explainPrefund(simulate, chain, operation).catch(() => undefined);
  return revertReason === undefined ? result : { ...result, revertReason };
}

function distinct(addresses: readonly Address[]): readonly Address[] {
  return addresses.filter((one, index) => addresses.findIndex((other) => sameHex(one, other)) === index);
}
