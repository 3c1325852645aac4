import type { ChainEventRows } from '@yield-vault/database';
import { eventTopics, parseShareMovements, parseUserOperations } from '@yield-vault/smart-account';
import { findError, sameHex } from '@yield-vault/protocol';
import { formatLog, numberToHex, type Address, type BlockTag, type Hex, type Log, type RpcLog } from 'viem';
import type { Cursor, FollowedChain, Header } from './types.js';

const topics = Object.values(eventTopics);
// Geth accepts 1,000 addresses in a filter.
const mostAddresses = 1_000;

/** Events, and the contracts that emitted any log. */
export interface ReadEvents extends ChainEventRows {
  /** Lower case. */
  readonly emitters: ReadonlySet<string>;
}

/** One block by its hash, or a range that can no longer be replaced. */
export type LogBlocks =
  { readonly blockHash: Hex } | { readonly fromBlock: bigint; readonly toBlock: bigint };

/** @throws the error of the node */
export async function readHeader(
  { rpc }: Pick<FollowedChain, 'rpc'>,
  block: { readonly blockTag: Extract<BlockTag, 'latest'> } | { readonly blockNumber: bigint },
): Promise<Header> {
  const { number, hash, parentHash, timestamp, logsBloom } = await rpc.getBlock(block);
  return { number, hash, parentHash, timestamp, logsBloom };
}

/**
 * Read what some blocks hold for the service: one query for every thousand contracts.
 *
 * @param followed - entry point and vaults, in lower case
 * @throws the error of the node
 */
export async function readEvents(
  { rpc, entryPoint, contracts, usdc }: FollowedChain,
  followed: readonly Address[],
  blocks: LogBlocks,
): Promise<ReadEvents> {
  const { paymaster, validator } = contracts;
  const addresses = [paymaster, ...followed];
  const place =
    'blockHash' in blocks
      ? blocks
      : { fromBlock: numberToHex(blocks.fromBlock), toBlock: numberToHex(blocks.toBlock) };
  const chunks = Array.from({ length: Math.ceil(addresses.length / mostAddresses) }, (_, index) =>
    addresses.slice(index * mostAddresses, (index + 1) * mostAddresses),
  );
  const found = await Promise.all(
    chunks.map((address) =>
      rpc.request({ method: 'eth_getLogs', params: [{ ...place, address, topics: [topics] }] }),
    ),
  );
  const logs: Log[] = found.flatMap((chunk: RpcLog[]) => chunk.map((log) => formatLog(log)));
  const isVault = new Set(followed.filter((address) => !sameHex(address, entryPoint)));
  return {
    emitters: new Set(logs.map(({ address }) => address.toLowerCase())),
    operations: parseUserOperations(logs, { entryPoint, paymaster, usdc, validator }),
    movements: parseShareMovements(
      logs.filter(({ address }) => isVault.has(address.toLowerCase() as Address)),
    ),
  };
}

/** Whether each block follows the one before it. */
export function isInRow(headers: readonly Pick<Header, 'hash' | 'parentHash'>[]): boolean {
  return headers.every(
    ({ parentHash }, index) => index === 0 || sameHex(parentHash, headers[index - 1]!.hash),
  );
}

/** Find the newest of some blocks that the node still has; mostly it is one of the first. */
export async function findCommonBlock(
  chain: Pick<FollowedChain, 'rpc'>,
  known: readonly Cursor[],
): Promise<Cursor | undefined> {
  const isCommon = async ({ number, hash }: Cursor) => {
    const header = readHeader(chain, { blockNumber: number });
    return header.then(
      (found) => sameHex(found.hash, hash),
      (error: unknown) => {
        if (findError(error, 'BlockNotFoundError')) return false;
        throw error;
      },
    );
  };
  for (const some of [known.slice(0, 4), known.slice(4)]) {
    const isKept = await Promise.all(some.map(isCommon));
    const common = some.find((_, index) => isKept[index]);
    if (common) return common;
  }
  return undefined;
}
