import { setTimeout as pause } from 'node:timers/promises';
import {
  decodeFunctionData,
  encodeFunctionResult,
  keccak256,
  multicall3Abi,
  numberToHex,
  parseAbi,
  toHex,
  type Address,
  type Hex,
} from 'viem';
import { operationLogs, shareLogs, type PaidOperation, type ShareMove } from './simulated-logs.js';
import { RpcFailure, startFakeRpc, type FakeRpc } from './start-fake-rpc.js';

const abi = parseAbi([
  'function balanceOf(address owner) view returns (uint256)',
  'function previewRedeem(uint256 shares) view returns (uint256)',
  'function convertToAssets(uint256 shares) view returns (uint256)',
  'function getBlockNumber() view returns (uint256)',
  'function isModuleInstalled(uint256 type, address module, bytes context) view returns (bool)',
  'function allowance(address owner, address spender) view returns (uint256)',
]);

/** What a simulated node holds and allows. All of it may change while the node runs. */
export interface LogNodeState {
  /** The newest block. */
  head: bigint;
  moves: ShareMove[];
  operations: PaidOperation[];
  /** Blocks of one log query at most. */
  mostBlocks: bigint;
  delayMs: number;
  /** Delay of log queries instead. */
  logDelayMs?: number;
  /** HTTP requests in one second; above it 429 with Retry-After. */
  requestsPerSecond?: number;
}

/** A node without an EVM that serves share events over a long past. A share is worth one base unit of the asset. */
export interface LogNode extends FakeRpc {
  readonly state: LogNodeState;
  /** The log queries so far, oldest first. */
  logQueries(): readonly LogQuery[];
}

/** One log query. */
export interface LogQuery {
  readonly from: bigint;
  readonly to: bigint;
  readonly topics: readonly (Hex | readonly Hex[] | null)[];
}

/** Start a simulated node with a year of Base behind it, unless told otherwise. */
export async function startLogNode(overrides: Partial<LogNodeState> = {}): Promise<LogNode> {
  const state: LogNodeState = {
    ...{
      head: 15_770_000n,
      moves: [],
      operations: [],
      mostBlocks: 10_000n,
      delayMs: 0,
    },
    ...overrides,
  };
  const blockOf = (number: bigint) =>
    number > state.head
      ? null
      : {
          number: numberToHex(number),
          hash: keccak256(toHex(number)),
          timestamp: numberToHex(1_700_000_000n + 2n * number),
          transactions: [],
        };
  const slowly = async <T>(answer: () => T, delayMs = state.delayMs) => {
    if (delayMs > 0) await pause(delayMs);
    return answer();
  };
  const node = await startFakeRpc(
    {
      eth_blockNumber: () => slowly(() => numberToHex(state.head)),
      eth_getBlockByNumber: ([block]) => slowly(() => blockOf(BigInt(block as Hex))),
      eth_getCode: () => slowly(() => '0x'),
      eth_call: ([call]) => slowly(() => aggregate(state, (call as { data: Hex }).data)),
      eth_getLogs: ([filter]) => slowly(() => findLogs(state, filter as Filter), state.logDelayMs),
    },
    { admit: admitter(state) },
  );
  const queryOf = ({ params }: FakeRpc['calls'][number]): LogQuery => {
    const { fromBlock, toBlock, topics } = params[0] as Filter;
    return { from: BigInt(fromBlock), to: BigInt(toBlock), topics };
  };
  return Object.assign(node, {
    state,
    logQueries: () => node.calls.filter(({ method }) => method === 'eth_getLogs').map(queryOf),
  });
}

interface Filter {
  readonly address?: readonly Hex[];
  readonly fromBlock: Hex;
  readonly toBlock: Hex;
  readonly topics: readonly (Hex | readonly Hex[] | null)[];
}

function admitter(state: LogNodeState): () => boolean {
  let second = 0;
  let admitted = 0;
  return () => {
    const now = Math.floor(Date.now() / 1_000);
    if (now !== second) [second, admitted] = [now, 0];
    return ++admitted <= (state.requestsPerSecond ?? Infinity);
  };
}

function aggregate({ head, moves }: LogNodeState, data: Hex): Hex {
  const { args } = decodeFunctionData({ abi: multicall3Abi, data });
  const calls = args[0] as readonly { readonly target: Address; readonly callData: Hex }[];
  const result = calls.map(({ target, callData }) => {
    const call = decodeFunctionData({ abi, data: callData });
    const value = (): bigint => {
      if (call.functionName === 'getBlockNumber') return head;
      if (call.functionName === 'isModuleInstalled' || call.functionName === 'allowance') return 0n;
      if (call.functionName !== 'balanceOf') return call.args[0];
      return moves
        .filter(({ vault, block }) => same(vault, target) && block <= head)
        .reduce((sum, { from, to, shares }) => {
          const received = same(to, call.args[0]) ? shares : 0n;
          return sum + received - (same(from, call.args[0]) ? shares : 0n);
        }, 0n);
    };
    return { success: true, returnData: numberToHex(value(), { size: 32 }) };
  });
  return encodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', result });
}

function findLogs(
  { head, moves, operations, mostBlocks }: LogNodeState,
  { address, fromBlock, toBlock, topics }: Filter,
) {
  const [from, to] = [BigInt(fromBlock), BigInt(toBlock)];
  if (to > head) throw new RpcFailure(-32602, 'block range extends beyond current head block');
  if (to - from + 1n > mostBlocks)
    throw new RpcFailure(-32602, `block range is limited to ${mostBlocks} blocks`);
  const isInside = ({ block }: { readonly block: bigint }) => block >= from && block <= to;
  return [
    ...moves.filter(isInside).flatMap((move) => shareLogs(move, moves.indexOf(move))),
    ...operations.filter(isInside).flatMap((each) => operationLogs(each, operations.indexOf(each))),
  ]
    .filter((log) => address === undefined || address.some((each) => same(each, log.address)))
    .filter((log) =>
      topics.every(
        (wanted, place) =>
          wanted === null || [wanted].flat().some((topic) => same(topic, log.topics[place] ?? '0x')),
      ),
    );
}

const same = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();
