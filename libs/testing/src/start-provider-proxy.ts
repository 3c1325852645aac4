import { setTimeout as pause } from 'node:timers/promises';
import { hexToNumber, isHex, numberToHex, type Hex } from 'viem';
import {
  providerProfiles,
  type ProviderName,
  type ProviderProfile,
  type Refusal,
} from './provider-profiles.js';
import { imitateBundler } from './start-fake-bundler.js';
import { startRpcProxy, type RpcProxy, type RpcProxyCall } from './start-rpc-proxy.js';

interface Block {
  readonly number: Hex;
  readonly hash: Hex;
}
interface Reply {
  readonly id: unknown;
  readonly result?: { readonly hash?: Hex; readonly blockHash?: Hex } | null;
}

const stateMethod = /^eth_(call|estimateGas|simulateV1|getBalance|getCode|getStorageAt|getTransactionCount)$/;
const nodeMethod = /^eth_(?!chainId|sendRawTransaction|supportedEntryPoints|\w*UserOperation)/;
const newest = ['latest', 'pending'];

/** Start a proxy that lets a local node or bundler behave as a provider does. */
export async function startProviderProxy(name: ProviderName, targetUrl: string): Promise<RpcProxy> {
  const profile: ProviderProfile = providerProfiles[name];
  const { callsPerSecond, burstSeconds, stateBlocks, logBlocks } = profile;
  const proxy = await startRpcProxy(targetUrl);
  let [tokens, at, turn] = [callsPerSecond * burstSeconds, performance.now(), 0];

  /** Whether another call fits into the limit. */
  const admit = () => {
    const now = performance.now();
    tokens = Math.min(callsPerSecond * burstSeconds, tokens + ((now - at) * callsPerSecond) / 1_000);
    at = now;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };

  const refusalOf = (call: RpcProxyCall, head: number, newest: Block, isLagging: boolean) => {
    const { method } = call;
    if (profile.lacks.includes(method)) return profile.unknownMethod(method);
    // Blocks that it lacks are null.
    if (!/^eth_get(Block|Transaction)By/.test(method) && isLagging && names(call, newest))
      return profile.unknownBlock;
    const [from, to = from] = blocksOf(call);
    if (from === undefined) return undefined;
    if (method === 'eth_getLogs') return to! - from >= logBlocks ? profile.tooManyBlocks : undefined;
    return stateMethod.test(method) && from < head - stateBlocks ? profile.missingState : undefined;
  };

  proxy.addHook(async (calls, forward) => {
    await pause(profile.latencyMs);
    const isBatch = calls.length > 1;
    if (calls.length > profile.batchSize) return respond(profile.tooManyCalls, [{ id: null }], false);
    const admitted = calls.filter(admit);
    const limited = calls.filter((call) => !admitted.includes(call));
    if (admitted.length === 0) return respond(profile.tooFast, limited, isBatch);
    if (!calls.some(({ method }) => nodeMethod.test(method))) return forward();

    // Every third request meets a node behind the load balancer that lacks the newest block.
    const isLagging = turn++ % 3 === 2;
    const headCall = { jsonrpc: '2.0', id: 0, method: 'eth_getBlockByNumber', params: ['latest', false] };
    const { text } = await forward([headCall]);
    const [{ result: block }] = JSON.parse(text) as [{ result: Block }];
    const head = hexToNumber(block.number) - (isLagging ? 1 : 0);
    const refused = admitted.flatMap((call) => {
      const refusal = refusalOf(call, head, block, isLagging);
      return refusal ? [{ call, refusal }] : [];
    });
    const left = admitted.filter((call) => !refused.some((each) => each.call === call));
    if (!isBatch && refused[0]) return respond(refused[0].refusal, calls, false);
    const sent = left.map((call) => (isLagging ? { ...call, params: atBlock(call.params, head) } : call));
    const replies = sent.length === 0 ? [] : (JSON.parse((await forward(sent)).text) as Reply[]);
    const seen = replies.map((reply) => {
      const { method } = left.find(({ id }) => id === reply.id)!;
      if (!isLagging) return reply;
      if (method === 'eth_blockNumber') return { ...reply, result: numberToHex(head) };
      const { hash, blockHash = hash } = reply.result ?? {};
      return blockHash === block.hash ? { ...reply, result: null } : reply;
    });
    const errors = [
      ...limited.map(({ id }) => errorOf(id, profile.tooFast)),
      ...refused.map(({ call, refusal }) => errorOf(call.id, refusal)),
    ];
    const body = isBatch ? [...seen, ...errors] : seen[0];
    return { status: 200, text: JSON.stringify(body) };
  });
  // It sees requests first.
  const { bundler } = profile;
  proxy.addHook(imitateBundler(bundler));
  return proxy;
}

const errorOf = (id: unknown, { code, message }: Refusal) => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
});

function respond(refusal: Refusal, calls: readonly Pick<RpcProxyCall, 'id'>[], isBatch: boolean) {
  const errors = calls.map(({ id }) => errorOf(id, refusal));
  return { status: refusal.status, text: JSON.stringify(isBatch ? errors : errors[0]) };
}

/** The block of a call, or the first and the last one of its logs. */
function blocksOf({ method, params = [] }: RpcProxyCall): readonly number[] {
  const [filter] = params as [{ fromBlock?: unknown; toBlock?: unknown }?];
  const place = method === 'eth_getStorageAt' ? 2 : 1;
  const named = method === 'eth_getLogs' ? [filter?.fromBlock, filter?.toBlock] : [params[place]];
  return named.filter((each) => isHex(each)).map((each) => hexToNumber(each));
}

const names = (call: RpcProxyCall, { hash, number }: Block) =>
  blocksOf(call).includes(hexToNumber(number)) || JSON.stringify(call.params ?? []).includes(hash);

const atBlock = (params: readonly unknown[] = [], head: number) =>
  params.map((each) => (newest.includes(each as string) ? numberToHex(head) : each));
