import { type FakeRpc, startFakeRpc } from '@yield-vault/testing';
import {
  type Address,
  createPublicClient,
  decodeFunctionData,
  encodeFunctionResult,
  type Hex,
  http,
  multicall3Abi,
  parseAbi,
  type PublicClient,
} from 'viem';

const feedAbi = parseAbi([
  'function description() view returns (string)',
  'function decimals() view returns (uint8)',
  'function latestRoundData() view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)',
]);

/** A price feed of a fake node. */
export interface FakeFeed {
  /** Undefined: it does not say. */
  description: string | undefined;
  decimals: number;
  answer: bigint;
  updatedAt: number;
}

/** A node whose Multicall3 knows nothing but price feeds. */
export interface FakeFeedNode {
  readonly rpc: PublicClient;
  readonly node: FakeRpc;
  /** By address in lower case; may be changed while it runs. */
  readonly feeds: Map<string, FakeFeed>;
  stop(): Promise<void>;
}

export async function startFakeFeedNode(): Promise<FakeFeedNode> {
  const feeds = new Map<string, FakeFeed>();
  const node = await startFakeRpc({
    eth_call: ([call]) => aggregate(feeds, (call as { data: Hex }).data),
  });
  const rpc = createPublicClient({ transport: http(node.rpcUrl, { retryCount: 0 }) });
  return { rpc, node, feeds, stop: () => node.stop() };
}

function aggregate(feeds: ReadonlyMap<string, FakeFeed>, data: Hex): Hex {
  const { args } = decodeFunctionData({ abi: multicall3Abi, data });
  const calls = args![0] as readonly { readonly target: Address; readonly callData: Hex }[];
  const result = calls.map(({ target, callData }) => {
    const feed = feeds.get(target.toLowerCase());
    return feed
      ? { success: true, returnData: respond(feed, callData) }
      : { success: true, returnData: '0x' as Hex };
  });
  return encodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', result });
}

function respond(feed: FakeFeed, callData: Hex): Hex {
  const { functionName } = decodeFunctionData({ abi: feedAbi, data: callData });
  if (functionName === 'description')
    return feed.description === undefined
      ? '0x'
      : encodeFunctionResult({ abi: feedAbi, functionName, result: feed.description });
  if (functionName === 'decimals')
    return encodeFunctionResult({ abi: feedAbi, functionName, result: feed.decimals });
  const updatedAt = BigInt(feed.updatedAt);
  return encodeFunctionResult({
    abi: feedAbi,
    functionName,
    result: [7n, feed.answer, updatedAt, updatedAt, 7n],
  });
}
