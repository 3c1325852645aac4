import { numberToHex, type PublicClient } from 'viem';
import type { ActiveChain } from './active-chains.js';
import { upstreamReason } from './rpc/upstream-reason.js';

/** How a node treats an `eth_call` with much gas. */
export interface CallGasProbe {
  /** Place of the node among the chain's `rpcUrls`, counted from 1. */
  readonly node: number;
  /** `cut`: the call runs with less gas; `refused`: it does not run; `down`: the node does not respond now. */
  readonly outcome: 'granted' | 'cut' | 'refused' | 'down';
  /** Most gas that a call received. */
  readonly gas: bigint;
}

// Creates a contract whose code is the gas that is left: GAS PUSH0 MSTORE PUSH1 32 PUSH0 RETURN.
const reportGas = '0x5a5f5260205ff3';
// The creation itself also costs gas.
const leastPercent = 99n;
const leastGas = 100_000n;

/**
 * Find out whether each node of a chain lets one `eth_call` use as much gas as this. Limits of nodes differ, and so
 * does what they do beyond: some run the call with less and do not say so. Never throws.
 */
export function probeCallGas(chain: ActiveChain, gas: bigint): Promise<readonly CallGasProbe[]> {
  return Promise.all(
    chain.nodes.map(async (node, place) => ({ node: place + 1, ...(await probeNode(node, gas)) })),
  );
}

async function probeNode(rpc: PublicClient, wanted: bigint): Promise<Omit<CallGasProbe, 'node'>> {
  for (let gas = wanted; gas >= leastGas; gas /= 2n) {
    const granted = await requestGas(rpc, gas);
    if (granted === 'down') return { outcome: 'down', gas: 0n };
    if (granted === 'refused') continue;
    if (gas < wanted) return { outcome: 'refused', gas: granted };
    return { outcome: granted * 100n < wanted * leastPercent ? 'cut' : 'granted', gas: granted };
  }
  return { outcome: 'refused', gas: 0n };
}

async function requestGas(rpc: PublicClient, gas: bigint): Promise<bigint | 'refused' | 'down'> {
  const call = { data: reportGas, gas: numberToHex(gas) } as const;
  try {
    return BigInt(await rpc.request({ method: 'eth_call', params: [call, 'latest'] }));
  } catch (error) {
    return isBusy(error) || (await isDown(rpc)) ? 'down' : 'refused';
  }
}

// A busy node proves nothing about the gas: the next call may succeed.
const isBusy = (error: unknown) =>
  /rate ?limit|too many requests|HTTP status 429|timed out/i.test(upstreamReason(error) ?? String(error));

// No other error code distinguishes a refusal from an outage on every node.
const isDown = (rpc: PublicClient) =>
  rpc.getChainId().then(
    () => false,
    () => true,
  );
