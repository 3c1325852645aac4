import { numberToHex, pad, type Hex } from 'viem';
import type { BlockRef, SimulatedCall, SimulationRequest, StateOverride } from '../../types.js';
import { cappedGas } from '../capped-gas.js';

export interface SimulationSettings {
  readonly block: BlockRef;
  /** Unix seconds of the simulated block. */
  readonly timestamp: bigint;
  /** How the node names `block`. */
  readonly blockParameter: 'latest' | { readonly blockHash: Hex };
  /** Whether fees are charged and the block's base fee applies. */
  readonly validation: boolean;
}

/** Build the parameters of `eth_simulateV1` for one block on top of another. */
export function buildSimulation(
  { calls, stateOverrides = {} }: SimulationRequest,
  { block, timestamp, blockParameter, validation }: SimulationSettings,
): readonly unknown[] {
  const blockOverrides = {
    // Anvil would take those of the block below.
    number: numberToHex(block.number + 1n),
    time: numberToHex(timestamp),
  };
  const overrides = Object.fromEntries(
    Object.entries(stateOverrides).map(([address, state]) => [address, writeOverride(state)] as const),
  );
  return [
    {
      blockStateCalls: [{ blockOverrides, stateOverrides: overrides, calls: calls.map(writeCall) }],
      validation,
    },
    blockParameter,
  ];
}

/** Write a call as JSON-RPC takes it. */
export function writeCall(call: SimulatedCall): Readonly<Record<string, unknown>> {
  const { from, to, data, value = 0n, maxFeePerGas, maxPriorityFeePerGas, authorizationList } = call;
  return {
    from,
    to,
    data,
    value: numberToHex(value),
    gas: numberToHex(cappedGas(call)),
    ...(maxFeePerGas !== undefined && {
      maxFeePerGas: numberToHex(maxFeePerGas),
      maxPriorityFeePerGas: numberToHex(maxPriorityFeePerGas ?? 0n),
    }),
    ...(authorizationList && {
      authorizationList: authorizationList.map(({ address, chainId, nonce, r, s, yParity }) => ({
        address,
        chainId: numberToHex(chainId),
        nonce: numberToHex(nonce),
        r,
        s,
        yParity: numberToHex(yParity),
      })),
    }),
  };
}

function writeOverride({ balance, nonce, code, stateDiff }: StateOverride) {
  return {
    ...(balance !== undefined && { balance: numberToHex(balance) }),
    ...(nonce !== undefined && { nonce: numberToHex(nonce) }),
    ...(code !== undefined && { code }),
    ...(stateDiff && { stateDiff: padWords(stateDiff) }),
  };
}

function padWords(words: Readonly<Record<Hex, Hex>>): Record<Hex, Hex> {
  const entries = Object.entries(words) as [Hex, Hex][];
  return Object.fromEntries(entries.map(([slot, value]) => [pad(slot), pad(value)]));
}
