import { callNode } from '../errors.js';
import { createClient, http, type Client, type PublicClient, type Transport } from 'viem';
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

/** A node: its URL, a transport of viem, or a client of viem. */
export type NodeAccess = string | Transport | Client;

/** Open a node. Its failures are `NodeFailedError`. A whole public client would add 25 KB to the bundle of a browser. */
export function openNode(rpc: NodeAccess): NodeReads {
  const transport = typeof rpc === 'string' ? http(rpc, { batch: true }) : rpc;
  const client = typeof transport === 'function' ? createClient({ transport, cacheTime: 0 }) : transport;
  const bound = Object.entries(reads).map(([name, read]) => {
    const call = read as (on: Client, parameters: unknown) => Promise<unknown>;
    return [name, (parameters: unknown = {}) => callNode(() => call(client, parameters), name)];
  });
  return Object.fromEntries(bound) as NodeReads;
}
