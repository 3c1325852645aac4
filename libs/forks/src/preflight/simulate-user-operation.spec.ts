import { canonical, entryPointV08Abi } from '@yield-vault/contracts';
import { UpstreamUnavailableError, type UserOperation } from '@yield-vault/protocol';
import { testAccount } from '@yield-vault/testing';
import {
  RpcRequestError,
  encodeAbiParameters,
  encodeErrorResult,
  encodeEventTopics,
  keccak256,
  numberToHex,
  type Hex,
} from 'viem';
import { buildForkChain } from '../../test/support/build-fork-chain.js';
import { simulatedBundler } from './bundle-calls.js';
import { nextBlock, simulateOnNode } from './simulate-user-operation.js';
import type { SimulatedCallResult } from './types.js';

const chain = buildForkChain();
const sender = testAccount('owner').address;
const userOpHash = keccak256('0x01');
const operation = {
  sender,
  nonce: 0n,
  callData: '0x',
  callGasLimit: 300_000n,
  verificationGasLimit: 100_000n,
  preVerificationGas: 50_000n,
  maxFeePerGas: 2n,
  maxPriorityFeePerGas: 1n,
  signature: '0x',
} as UserOperation;
const request = { chain: 'base', operation, userOpHash } as const;

const refusedAs = (reason: string) =>
  result('revert', {
    returnData: encodeErrorResult({ abi: entryPointV08Abi, errorName: 'FailedOp', args: [0n, reason] }),
  });
const executed = result('success', {
  logs: [
    {
      address: canonical.entryPointV08,
      topics: encodeEventTopics({
        abi: entryPointV08Abi,
        eventName: 'UserOperationEvent',
        args: { userOpHash, sender, paymaster: sender },
      }) as [Hex],
      data: encodeAbiParameters(
        [{ type: 'uint256' }, { type: 'bool' }, { type: 'uint256' }, { type: 'uint256' }],
        [0n, true, 1n, 120_000n],
      ),
    },
  ],
});

function result(status: SimulatedCallResult['status'], parts: Partial<SimulatedCallResult> = {}) {
  return { status, gasUsed: 200_000n, returnData: '0x' as Hex, logs: [], ...parts };
}

type Response = readonly SimulatedCallResult[] | RpcRequestError;
interface Sent {
  readonly blockStateCalls: readonly [
    {
      readonly blockOverrides?: object;
      readonly stateOverrides: object;
      readonly calls: readonly { readonly from: Hex; readonly to: Hex; readonly gas: Hex }[];
    },
  ];
}

/** A node that gives these responses, one after the other. */
function fakeNode(...responses: readonly Response[]) {
  const sent: Sent['blockStateCalls'][0][] = [];
  const send = ([parameters]: readonly unknown[]): Promise<unknown> => {
    sent.push((parameters as Sent).blockStateCalls[0]);
    const response = responses[sent.length - 1];
    if (!response) throw new Error('nothing more was expected');
    if (response instanceof RpcRequestError) return Promise.reject(response);
    const calls = response.map(({ status, gasUsed, ...rest }) => ({
      ...{ status: status === 'success' ? '0x1' : '0x0', gasUsed: numberToHex(gasUsed) },
      ...rest,
    }));
    return Promise.resolve([{ calls }]);
  };
  return { send, sent };
}

const refusal = (code: number, message: string) =>
  new RpcRequestError({ body: {}, error: { code, message }, url: 'http://127.0.0.1' });
const passing = [executed];
const failing = (reason: string) => [refusedAs(reason)];
const block = { time: 7n, baseFeePerGas: 9n };

describe('simulateOnNode', () => {
  it('default: one request with the bundle, in the given block', async () => {
    const { send, sent } = fakeNode(passing);
    expect(await simulateOnNode(send, chain, request, block)).toEqual({
      success: true,
      backend: 'node',
      operationGasUsed: 120_000n,
    });
    const [{ blockOverrides, stateOverrides, calls } = { stateOverrides: {}, calls: [] }] = sent;
    expect(blockOverrides).toEqual({ time: '0x7', baseFeePerGas: '0x9' });
    expect(calls.map(({ from, to }) => [from, to])).toEqual([[simulatedBundler, chain.entryPoint]]);
    expect(Object.keys(stateOverrides)).toEqual([simulatedBundler]);
    expect(BigInt(calls[0]?.gas ?? 0)).toBeGreaterThan(450_000n);
  });

  it.each<[string, Response]>([
    ['AA22', failing('AA22 expired or not due')],
    ['AA32', failing('AA32 paymaster expired or not due')],
    ['a fee below the base fee', refusal(-38012, 'max fee per gas less than block base fee')],
    ['a time before the node’s block', refusal(-38021, 'block timestamps must be in order: 7 <= 8')],
  ])('behavior: %s is simulated again with the block of the node', async (_, first) => {
    const { send, sent } = fakeNode(first, passing);
    expect(await simulateOnNode(send, chain, request, block)).toMatchObject({ success: true });
    expect(sent.map(({ blockOverrides }) => blockOverrides)).toEqual([expect.anything(), undefined]);
    const again = fakeNode(first);
    if (!(first instanceof RpcRequestError)) {
      const simulated = await simulateOnNode(again.send, chain, request, undefined);
      expect(simulated).toMatchObject({ success: false });
    }
  });

  it('error: the second simulation counts, and every other failure counts at once', async () => {
    const late = fakeNode(failing('AA22 expired or not due'), failing('AA25 invalid account nonce'));
    expect(await simulateOnNode(late.send, chain, request, block)).toMatchObject({ aaCode: 'AA25' });
    const once = fakeNode(failing('AA25 invalid account nonce'));
    expect(await simulateOnNode(once.send, chain, request, block)).toMatchObject({ aaCode: 'AA25' });
  });

  it.each<[string, Response]>([
    ['too many results', [executed, executed]],
    ['no results', []],
    ['an error of its own', refusal(-32000, 'missing trie node')],
  ])('error: UpstreamUnavailableError for %s', async (_, response) => {
    const { send } = fakeNode(response);
    await expect(simulateOnNode(send, chain, request, block)).rejects.toThrow(UpstreamUnavailableError);
  });
});

describe('nextBlock', () => {
  it('default: now, with the base fee of the newest block', () => {
    expect(nextBlock({ timestamp: 100n, baseFeePerGas: 3n }, 200_999)).toEqual({
      time: 200n,
      baseFeePerGas: 3n,
    });
  });

  it('behavior: later than the newest block, whose clock may be ahead', () => {
    expect(nextBlock({ timestamp: 200n, baseFeePerGas: null }, 200_999)).toEqual({ time: 201n });
  });

  it('behavior: nothing while no block was seen', () => {
    expect(nextBlock(undefined, 200_999)).toBeUndefined();
  });
});
