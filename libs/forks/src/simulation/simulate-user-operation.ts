import { UpstreamUnavailableError } from '@yield-vault/protocol';
import type { Address } from 'viem';
import type { EphemeralForks } from '../ports.js';
import type {
  EphemeralFork,
  ForkChain,
  SimulatedCall,
  SimulationRequest,
  SimulationResult,
  UserOperationRequest,
  UserOperationSimulation,
} from '../types.js';
import { balanceCall, balanceChanges } from './balance-reads.js';
import { bundleCall, bundlerFunds, simulatedBundler } from './bundle-call.js';
import { explainPrefund } from './explain-prefund.js';
import { readVerdict } from './read-verdict.js';

/**
 * Try a signed user operation at the newest block, as the bundler would send it.
 *
 * A failure counts only on a block that was asked for after the operation came: on an older one the wallet's last
 * transaction may be missing.
 *
 * @throws {ForkCapacityError} too many simulations wait; retryable
 * @throws {UpstreamUnavailableError} the chain does not answer; retryable
 * @throws {ForkNotRunningError} no fork could be kept running; retryable
 */
export async function simulateUserOperation(
  forks: EphemeralForks,
  chain: ForkChain,
  request: UserOperationRequest,
): Promise<UserOperationSimulation> {
  const compared = distinct([chain.usdc.address, ...(request.tokens ?? [])]);
  const call = bundleCall(chain.entryPoint, request.operation);
  const simulation = buildSimulation(request, call, compared);
  const attempt = async (fork: EphemeralFork) => {
    const result = readResult(chain, request, { call, compared }, await fork.simulate(simulation));
    return explain(result, fork, chain, request);
  };
  const first = await forks.withEphemeralFork(chain.key, attempt, { likely: simulation });
  if (first.success) return first;
  return forks.withEphemeralFork(
    chain.key,
    (fork) => (fork.block.hash === first.block.hash ? Promise.resolve(first) : attempt(fork)),
    { maxHeadAgeMs: 0, likely: simulation },
  );
}

function buildSimulation(
  { operation, template }: UserOperationRequest,
  call: SimulatedCall,
  compared: readonly Address[],
): SimulationRequest {
  const read = balanceCall(operation.sender, compared);
  return {
    calls: [read, call, read],
    stateOverrides: { [simulatedBundler]: bundlerFunds },
    // Operations of one wallet touch the same slots; those of another wallet do not.
    ...(template !== undefined && { template: `${template}:${operation.sender.toLowerCase()}` }),
  };
}

function readResult(
  { key, entryPoint }: ForkChain,
  { operation, userOpHash }: UserOperationRequest,
  { call, compared }: { readonly call: SimulatedCall; readonly compared: readonly Address[] },
  { block, strategy, calls }: SimulationResult,
): UserOperationSimulation {
  const [before, bundle, after, ...others] = calls;
  // Which result belongs to which call is known only when there is one for each.
  if (!before || !bundle || !after || others.length > 0) throw incomplete(key);
  const verdict = readVerdict({ entryPoint, operation, userOpHash, call }, bundle);
  const facts = { block, strategy, gasUsed: bundle.gasUsed };
  if (!verdict.success) return { ...facts, ...verdict };
  return { ...facts, ...verdict, balanceChanges: balanceChanges(compared, before, after) };
}

function incomplete(key: string): UpstreamUnavailableError {
  return new UpstreamUnavailableError({
    detail: `A simulation on ${key} did not answer for each of its calls.`,
    details: { dependency: `rpc:${key}` },
    retryAfterSeconds: 2,
  });
}

async function explain(
  result: UserOperationSimulation,
  fork: EphemeralFork,
  chain: ForkChain,
  { operation }: UserOperationRequest,
): Promise<UserOperationSimulation> {
  if (result.success || result.aaCode !== 'AA34') return result;
  // That it fails is known by now: what keeps it from being explained changes nothing.
  const revertReason = await explainPrefund(fork, chain, operation).catch(() => undefined);
  return revertReason === undefined ? result : { ...result, revertReason };
}

function distinct(addresses: readonly Address[]): readonly Address[] {
  return [...new Map(addresses.map((address) => [address.toLowerCase(), address])).values()];
}
