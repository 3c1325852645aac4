import { ForksNotConfiguredError } from '@yield-vault/protocol';
import { numberToHex, type Address, type Hex } from 'viem';
import { z } from 'zod';
import type { ForkProvider } from '../../ports.js';
import type {
  BlockRef,
  Fork,
  SimulatedCall,
  SimulatedCallResult,
  SimulationRequest,
  StateOverride,
} from '../../types.js';
import { asSimulationError } from '../as-simulation-error.js';
import { callStatus } from '../call-status.js';
import { cappedGas } from '../capped-gas.js';
import type { TakeFork } from '../session.js';

const blockSchema = z.object({ hash: z.string().startsWith('0x'), timestamp: z.string() });
const gasPriceMargin = 2n;

/**
 * Take forks of a managed back end: calls are real transactions there, each in a block of its own, at the gas price
 * of the back end.
 */
export function managedStrategy(chain: string, provider: ForkProvider | undefined): TakeFork {
  return async ({ deadline }) => {
    if (!provider) throw notPossible('No managed forks are configured for simulations.');
    const fork = await provider.create(chain, { signal: deadline.signal });
    const release = () => provider.destroy(fork.id);
    try {
      const block = await readBlock(fork);
      return { block, fork, release, simulate: (request) => simulate(fork, block, request) };
    } catch (error) {
      await release().catch(() => undefined); // The first failure says more.
      throw asSimulationError(error, chain);
    }
  };
}

async function simulate(fork: Fork, block: BlockRef, { calls, stateOverrides = {} }: SimulationRequest) {
  try {
    for (const [address, state] of Object.entries(stateOverrides) as [Address, StateOverride][]) {
      await applyOverride(fork, address, state);
    }
    const results: SimulatedCallResult[] = [];
    for (const call of calls) results.push(await send(fork, call));
    return { block, strategy: 'managed', calls: results } as const;
  } catch (error) {
    throw asSimulationError(error, fork.chain);
  }
}

async function readBlock(fork: Fork): Promise<BlockRef> {
  const raw = await fork.request('eth_getBlockByNumber', [numberToHex(fork.forkBlock), false]);
  const { hash, timestamp } = blockSchema.parse(raw);
  return { number: fork.forkBlock, hash: hash as Hex, timestamp: BigInt(timestamp) };
}

/** Balances are topped up; nothing else can be changed by every back end. */
async function applyOverride(fork: Fork, address: Address, state: StateOverride): Promise<void> {
  const { balance, ...others } = state;
  if (Object.values(others).some((value) => value !== undefined)) {
    throw notPossible('Managed forks take no overrides of code, nonce or storage.');
  }
  if (balance === undefined) return;
  const present = BigInt((await fork.request('eth_getBalance', [address, 'latest'])) as Hex);
  if (present < balance) await fork.fund({ address, ethWei: balance - present });
}

async function send(fork: Fork, call: SimulatedCall): Promise<SimulatedCallResult> {
  const { from, to, data, value, gas, maxFeePerGas, authorizationList } = call;
  if (authorizationList?.length) throw notPossible('Managed forks take no calls with authorizations.');
  if (maxFeePerGas === undefined) {
    // A call without fees costs its sender nothing: the sender is given what it pays.
    const gasPrice = BigInt((await fork.request('eth_gasPrice', [])) as Hex);
    await fork.fund({ address: from, ethWei: cappedGas(call) * gasPrice * gasPriceMargin });
  }
  const sent = await fork.sendAs({
    from,
    to,
    data,
    value,
    ...(gas !== undefined && { gas: cappedGas(call) }),
  });
  return {
    status: callStatus(sent.success, sent.returnData),
    gasUsed: sent.gasUsed,
    returnData: sent.returnData,
    logs: sent.logs.map(({ address, topics, data: words }) => ({ address, topics, data: words })),
  };
}

function notPossible(detail: string): ForksNotConfiguredError {
  return new ForksNotConfiguredError({ detail });
}
