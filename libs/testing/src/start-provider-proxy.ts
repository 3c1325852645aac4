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
  readonly result?: { readonly hash?: Hex; readonly blockHash?: Hex } | null;
}

const stateMethod = /^eth_(call|estimateGas|simulateV1|getBalance|getCode|getStorageAt|getTransactionCount)$/;
const nodeMethod = /^eth_(?!chainId|sendRawTransaction|supportedEntryPoints|\w*UserOperation)/;
const newest = ['latest', 'pending'];

/** Start a proxy that lets a local node or bundler behave as a provider does. */
export async function startProviderProxy(name: ProviderName, targetUrl: string): Promise<RpcProxy> {
  const profile: ProviderProfile = providerProfiles[name];
  const { callsPerSecond, burstSeconds } = profile;
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

  proxy.addHook(async (calls, forward, isBatch) => {
    await pause(profile.latencyMs);
    const send = async (call: RpcProxyCall) => (JSON.parse((await forward([call])).text) as [Reply])[0];
    const isTooLong = calls.length > profile.batchSize;
    const admitted = isTooLong ? [] : calls.filter(admit);
    const isOfNode = calls.some(({ method }) => nodeMethod.test(method));
    if (!isOfNode && admitted.length > 0) return forward();
    // Every third request meets a node behind the load balancer that lacks the newest block.
    const isLagging = isOfNode && turn++ % 3 === 2;
    let headReply: Promise<Reply> | undefined;
    const headCall = { jsonrpc: '2.0', id: 0, method: 'eth_getBlockByNumber', params: ['latest', false] };

    const answer = async (call: RpcProxyCall): Promise<Reply | Refusal> => {
      if (!admitted.includes(call)) return profile.tooFast;
      const newest = (await (headReply ??= send(headCall))).result as Block;
      const head = hexToNumber(newest.number) - (isLagging ? 1 : 0);
      const refusal = refusalOf(profile, call, head, isLagging ? newest : undefined);
      if (refusal || !isLagging) return refusal ?? send(call);
      const found = await send({ ...call, params: atBlock(call.params, head) });
      if (call.method === 'eth_blockNumber') return { ...found, result: numberToHex(head) } as never;
      const { hash, blockHash = hash } = found.result ?? {};
      return blockHash === newest.hash ? { ...found, result: null } : found;
    };
    const answers = isTooLong ? [profile.tooManyCalls] : await Promise.all(calls.map(answer));
    const bodies = answers.map((each, place) => {
      if (!('code' in each)) return each;
      const { code, message } = each;
      return { jsonrpc: '2.0', id: calls[place]!.id, error: { code, message } };
    });
    const [first] = answers;
    const isAlone = isTooLong || !isBatch;
    const isRefused = (isAlone || admitted.length === 0) && 'code' in first!;
    return { status: isRefused ? first.status : 200, text: JSON.stringify(isAlone ? bodies[0] : bodies) };
  });
  // It sees requests first.
  proxy.addHook(imitateBundler(profile.bundler));
  return proxy;
}

/** @param unseen - the newest block, where the node lacks it */
function refusalOf(profile: ProviderProfile, call: RpcProxyCall, head: number, unseen?: Block) {
  const { method } = call;
  if (profile.lacks.includes(method)) return profile.unknownMethod(method);
  // Blocks that it lacks are null.
  if (unseen && !/^eth_get(Block|Transaction)By/.test(method) && names(call, unseen))
    return profile.unknownBlock;
  const [from, to = from] = blocksOf(call);
  if (from === undefined) return undefined;
  if (method === 'eth_getLogs') return to! - from >= profile.logBlocks ? profile.tooManyBlocks : undefined;
  return stateMethod.test(method) && from < head - profile.stateBlocks ? profile.missingState : undefined;
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
