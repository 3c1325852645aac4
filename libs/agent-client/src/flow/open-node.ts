import { callNode } from '../errors.js';
import { createClient, http, type Client, type PublicClient } from 'viem';
import {
  getBalance,
  getBlock,
  getChainId,
  getCode,
  getGasPrice,
  getLogs,
  getStorageAt,
  getTransactionCount,
  getTransactionReceipt,
  readContract,
} from 'viem/actions';

const reads = {
  getBalance,
  getBlock,
  getChainId,
  getCode,
  getGasPrice,
  getLogs,
  getStorageAt,
  getTransactionCount,
  getTransactionReceipt,
  readContract,
};

/** The reads of a node that the flow uses. */
export type NodeReads = Pick<PublicClient, keyof typeof reads>;

/** Open a node by its URL. Its failures are `NodeFailedError`. A whole public client would add 25 KB to the bundle of a browser. */
export function openNode(rpcUrl: string): NodeReads {
  const client = createClient({ transport: http(rpcUrl, { batch: true }), cacheTime: 0 });
  const bound = Object.entries(reads).map(([name, read]) => {
    const call = read as (on: Client, parameters: unknown) => Promise<unknown>;
    return [name, (parameters: unknown = {}) => callNode(() => call(client, parameters), name)];
  });
  return Object.fromEntries(bound) as NodeReads;
}
