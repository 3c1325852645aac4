import { type FakeRpc, RpcFailure, startFakeRpc } from '@yield-vault/testing';
import { aggregate } from './aggregate.js';
import {
  createPublicClient,
  encodeAbiParameters,
  type Hex,
  http,
  keccak256,
  numberToHex,
  type PublicClient,
  toFunctionSelector,
  toHex,
} from 'viem';

/** A chain behind a JSON-RPC server that serves the reads of a sample. All of it may be changed while it runs. */
export interface FakeChain {
  readonly node: FakeRpc;
  readonly rpc: PublicClient;
  /** Times of the blocks, Unix seconds. */
  times: number[];
  /** Another one makes every block hash another. */
  branch: string;
  /** First block of the branch; earlier ones keep their hashes. */
  branchedAt: number;
  /** Undefined: the node does not know the tag. */
  finalized: number | undefined;
  /** Blocks that the node does not know, though it knows later ones. */
  readonly missing: Set<number>;
  /** The node has no state of earlier blocks. */
  stateSince: number;
  chainId: number;
  /** Result of a read at a block; undefined when it reverts. */
  respond: (target: string, functionName: string, block: number) => bigint | Hex | undefined;
  /** Gas that a read burns. */
  gasOf: (target: string, functionName: string) => number;
  /** Multicalls that were run or refused: how many reads each had, at which block, with how much gas. */
  readonly multicalls: { reads: number; block: number; gas: number; refused: boolean }[];
  readonly stop: () => Promise<void>;
}

const word = (value: bigint): Hex => numberToHex(value, { size: 32 });
export const text = (value: string): Hex => encodeAbiParameters([{ type: 'string' }], [value]);

const functionNames = new Map(
  [
    'convertToAssets(uint256)',
    'totalAssets()',
    'totalSupply()',
    'asset()',
    'decimals()',
    'symbol()',
    'name()',
    'getCurrentBlockTimestamp()',
    'description()',
    'latestRoundData()',
  ].map((signature) => [toFunctionSelector(signature) as string, signature.split('(')[0]!]),
);
const usdc = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913';
const responsesOfUsdc: Readonly<Record<string, bigint | Hex>> = {
  decimals: 6n,
  totalSupply: 10n ** 30n,
  symbol: text('USDC'),
};
const responsesOfVault: Readonly<Record<string, bigint>> = { asset: BigInt(usdc), decimals: 18n };

/** Start a chain of these block times for each test of a file. Its members exist from `beforeEach` on. */
export function useFakeChain(timesOf: () => number[]): FakeChain {
  const chain = {} as FakeChain;
  beforeEach(async () => {
    await startFakeChain(timesOf(), chain);
  });
  afterEach(() => chain.stop());
  return chain;
}

/** Start a chain of these block times on which every vault grows by one base unit a block. */
export async function startFakeChain(times: number[], chain = {} as FakeChain): Promise<FakeChain> {
  const header = (number: number) => {
    const t = chain.times[number];
    const branch = number >= chain.branchedAt ? chain.branch : 'first';
    return t === undefined || chain.missing.has(number)
      ? null
      : {
          number: numberToHex(number),
          timestamp: numberToHex(t),
          hash: keccak256(toHex(`${branch} ${number}`)),
        };
  };
  const numberOf = (tag: string): number => {
    if (tag === 'latest') return chain.times.length - 1;
    if (tag !== 'finalized') return Number(tag);
    if (chain.finalized === undefined) throw new RpcFailure(-32_602, 'unknown block tag');
    return chain.finalized;
  };

  const call = ([{ data, gas: gasLimit }, tag, override]: readonly [
    { data: Hex; gas: Hex },
    string,
    unknown?,
  ]): Hex => {
    if (override) throw new RpcFailure(-32_602, 'too many arguments, want at most 2');
    const block = numberOf(tag);
    if (block < chain.stateSince) throw new RpcFailure(-32_000, 'missing trie node 12ab (path ) <nil>');
    const record = { reads: 0, block, gas: Number(gasLimit), refused: false };
    chain.multicalls.push(record);
    let gas = record.gas;
    return aggregate(data, ({ target, callData }) => {
      record.reads += 1;
      const functionName = functionNames.get(callData.slice(0, 10)) ?? 'unknown';
      const needed = chain.gasOf(target.toLowerCase(), functionName);
      // As in the EVM, a call gets all but one 64th of the gas, and burns it when that is not enough.
      const most = gas - Math.floor(gas / 64);
      gas -= Math.min(needed, most) + 3_000;
      if (gas < 0) {
        record.refused = true;
        throw new RpcFailure(-32_000, 'out of gas');
      }
      const response = needed > most ? undefined : chain.respond(target.toLowerCase(), functionName, block);
      return typeof response === 'bigint' ? word(response) : response;
    });
  };

  const node = await startFakeRpc({
    eth_chainId: () => numberToHex(chain.chainId),
    eth_getBlockByNumber: ([tag]) => header(numberOf(tag as string)),
    eth_call: (params) => call(params as never),
  });
  return Object.assign<FakeChain, FakeChain>(chain, {
    node,
    rpc: createPublicClient({ transport: http(node.rpcUrl, { retryCount: 0, batch: true }), cacheTime: 0 }),
    times,
    branch: 'first',
    branchedAt: 0,
    finalized: undefined,
    stateSince: 0,
    chainId: 8453,
    missing: new Set(),
    respond: (target, functionName, block) =>
      (target === usdc ? responsesOfUsdc : responsesOfVault)[functionName] ?? 1_000_000n + BigInt(block),
    gasOf: () => 30_000,
    multicalls: [],
    stop: () => node.stop(),
  });
}
