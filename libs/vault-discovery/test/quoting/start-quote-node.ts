import { capabilityProbeAbi as abi } from '@yield-vault/contracts';
import { type FakeRpc, startFakeRpc } from '@yield-vault/testing';
import {
  decodeFunctionData,
  encodeErrorResult,
  encodeFunctionResult,
  type Hex,
  numberToHex,
  parseAbi,
} from 'viem';

/** What simulated deposits bring; may change at any time. */
export interface QuoteNodeState {
  /** Percent by the first digit of the vault's address; a vault without one refuses deposits. */
  rates: Record<number, number>;
  /** Base units for the deposit. */
  shares: bigint;
}

interface Call {
  readonly to: Hex;
  readonly data: Hex;
}

const word = (value: bigint) => numberToHex(value, { size: 32 });
const block = { number: '0x1', timestamp: '0x1', transactions: [] };
const full = encodeErrorResult({ abi: parseAbi(['error Error(string)']), args: ['cap reached'] });

/** Start a node that simulates deposits. A share is worth one unit of an asset with 12 decimals less. */
export function startQuoteNode(state: QuoteNodeState): Promise<FakeRpc> {
  const respond = ({ data }: Call, isLater: boolean) => {
    const { functionName, args } = decodeFunctionData({ abi, data });
    const rate = state.rates[Number((args[0] as Hex)[2])];
    const growth = isLater ? (1 + (rate ?? 5) / 100) ** (1 / 8_760) : 1;
    const price = BigInt(Math.round(1e12 * growth));
    const success = rate !== undefined;
    const answer = { success, isOutOfGas: false, gasUsed: 1n, returned: success ? '0x' : full } as const;
    const result = [answer, success ? state.shares : 0n, price] as const;
    const returnData =
      functionName === 'deposit' ? encodeFunctionResult({ abi, functionName, result }) : word(price);
    return { status: '0x1', returnData, gasUsed: '0x1', logs: [] };
  };
  return startFakeRpc({
    // The first of the overridden slots is the right one.
    eth_call: ([call, , overrides]) => {
      const token = (overrides as Record<Hex, { stateDiff: Record<Hex, Hex> }>)[(call as Call).to]!;
      return Object.values(token.stateDiff)[0];
    },
    eth_getBlockByNumber: () => block,
    eth_simulateV1: ([simulation]) =>
      (simulation as { blockStateCalls: { calls: Call[] }[] }).blockStateCalls.map(({ calls }, index) => ({
        ...block,
        calls: calls.map((call) => respond(call, index === 1)),
      })),
  });
}
