import { setTimeout as pause } from 'node:timers/promises';
import { numberToHex } from 'viem';
import type { BlockRef } from '../types.js';
import type { BlockStore } from './create-block-store.js';
import type { Upstream } from './create-upstream.js';
import { accountItem, slotItem, type AccountState, type StateItem } from './state-item.js';
import type { RpcCall, RpcOutcome } from './types.js';

// Only a suggestion for wallets; a simulation states its fees itself.
const priorityFeeWei = 1_000_000_000n;

// Anvil asks about its first account in two ways at once, and keeps to the one that is answered first. A balance, a nonce
// and a code by themselves are three questions where the account is one.
const separatelyMs = 20;

/** What answers the questions of a host. */
export interface HostAnswers {
  readonly chainId: number;
  readonly store: BlockStore;
  readonly upstream: Upstream;
  /** Told of every piece of state that a host reads. */
  readonly onRead: (block: BlockRef, item: StateItem, wasKnown: boolean) => void;
}

/** Answer one question of a host that is pinned to a block, from the cache where that can be. */
export async function answerHost(answers: HostAnswers, block: BlockRef, call: RpcCall): Promise<RpcOutcome> {
  const { store, upstream, chainId, onRead } = answers;
  const read = async (item: StateItem) => {
    onRead(block, item, store.known(block, item) !== undefined);
    return store.read(block, item);
  };
  const account = async () => (await read(accountItem(String(call.params[0])))) as AccountState;
  const isPinned = (parameter: unknown) => namesBlock(parameter, block);
  const { method, params } = call;

  switch (method) {
    case 'eth_chainId':
      return { result: numberToHex(chainId) };
    case 'net_version':
      return { result: String(chainId) };
    case 'eth_blockNumber':
      return { result: numberToHex(block.number) };
    case 'eth_maxPriorityFeePerGas':
      return { result: numberToHex(priorityFeeWei) };
    case 'eth_gasPrice':
      return { result: numberToHex((await baseFee(store, block)) + priorityFeeWei) };
    // What a host does not find among its own transactions is no business of a simulation.
    case 'eth_getTransactionReceipt':
    case 'eth_getTransactionByHash':
      return { result: null };
    case 'eth_getBlockByNumber':
      if (params[1] !== false) break;
      if (isPinned(params[0])) return { result: (await store.header(block)).raw };
      if (isOlder(params[0], block))
        return { result: await store.read(block, { kind: 'header', number: BigInt(params[0] as string) }) };
      break;
    case 'eth_getAccountInfo':
      if (isPinned(params[1])) return { result: await account() };
      break;
    case 'eth_getBalance':
      if (isPinned(params[1])) {
        const { balance } = await account();
        await pause(separatelyMs);
        return { result: balance };
      }
      break;
    case 'eth_getTransactionCount':
      if (isPinned(params[1])) return { result: (await account()).nonce };
      break;
    case 'eth_getCode':
      if (isPinned(params[1])) return { result: (await account()).code };
      break;
    case 'eth_getStorageAt':
      if (isPinned(params[2])) return { result: await read(slotItem(String(params[0]), String(params[1]))) };
      break;
  }
  const [outcome] = await upstream.ask([call]);
  return outcome!;
}

// A host that is pinned to a block has nothing newer to ask for.
function namesBlock(parameter: unknown, block: BlockRef): boolean {
  if (parameter === 'latest' || parameter === 'pending') return true;
  return isHexNumber(parameter) && BigInt(parameter) === block.number;
}

function isOlder(parameter: unknown, block: BlockRef): boolean {
  return isHexNumber(parameter) && BigInt(parameter) < block.number;
}

const isHexNumber = (value: unknown): value is string =>
  typeof value === 'string' && /^0x[0-9a-f]{1,16}$/i.test(value);

async function baseFee(store: BlockStore, block: BlockRef): Promise<bigint> {
  const { raw } = await store.header(block);
  const { baseFeePerGas } = raw as { baseFeePerGas?: unknown };
  return isHexNumber(baseFeePerGas) ? BigInt(baseFeePerGas) : 0n;
}
