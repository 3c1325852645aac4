import { isNamed, type UserOperation } from '@yield-vault/protocol';
import { delegationCode } from '@yield-vault/smart-account';
import { ZodError } from 'zod';
import type { Fork, ForkChain } from '../types.js';
import { bundleCall, bundlerBalance, simulatedBundler } from './bundle-calls.js';
import { unavailable } from './create-endpoints.js';
import { explainPrefund } from './explain-prefund.js';
import { readOutcome } from './read-outcome.js';
import { runOnFork } from './run-on-fork.js';
import { simulateCalls, type BlockOverrides } from './simulate-v1.js';
import type {
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
  const call = bundleCall(chain.entryPoint, request.operation);
  const overrides = stateOverrides(request);
  const attempt = async (blockOverrides: BlockOverrides | undefined) => {
    const simulated = await simulateCalls(send, [call], overrides, blockOverrides).catch(
      throwUnreadable(chain),
    );
    return readSimulated('node', chain, request, call, simulated);
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
  fork: Pick<Fork, 'request'>,
  chain: ForkChain,
  request: UserOperationRequest,
  now: number,
): Promise<UserOperationSimulation> {
  const call = bundleCall(chain.entryPoint, request.operation);
  const simulated = await runOnFork(fork, call, stateOverrides(request), now).catch(throwUnreadable(chain));
  const result = readSimulated('anvil', chain, request, call, simulated);
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
    baseFeePerGas: baseFeePerGas ?? undefined,
  };
}

function stateOverrides({ operation, pendingDelegation }: UserOperationRequest): StateOverrides {
  return {
    [simulatedBundler]: { balance: bundlerBalance },
    ...(pendingDelegation && { [operation.sender]: { code: delegationCode(pendingDelegation) } }),
  };
}

function readSimulated(
  backend: UserOperationSimulation['backend'],
  { key, entryPoint }: ForkChain,
  { operation, userOpHash }: UserOperationRequest,
  call: SimulatedCall,
  simulated: SimulatedCalls,
): UserOperationSimulation {
  if ('refused' in simulated) {
    return { backend, success: false, revertReason: simulated.refused, revertData: '0x' };
  }
  const [executed, ...others] = simulated.calls;
  if (!executed || others.length > 0) throw unavailable(key);
  return { backend, ...readOutcome({ entryPoint, operation, userOpHash, call }, executed) };
}

/** A node or fork responds with an error when it cannot read the chain. */
function throwUnreadable({ key }: ForkChain) {
  return (error: unknown): never => {
    throw isNamed(error, 'RpcRequestError') || error instanceof ZodError ? unavailable(key, error) : error;
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
