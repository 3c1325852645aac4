import type { ChainEventRows } from '@yield-vault/database';
import { eventTopics, parseShareMovements, parseUserOperations } from '@yield-vault/smart-account';
import { sameHex } from '@yield-vault/protocol';
import { formatLog, numberToHex, type Address, type BlockTag, type Hex, type Log, type RpcLog } from 'viem';
import type { FollowedChain, Header } from './types.js';

const topics = Object.values(eventTopics);
// Geth accepts 1,000 addresses in a filter.
const mostAddresses = 1_000;

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
 * Read what some blocks hold for the service: one query for every thousand vaults.
 *
 * @throws the error of the node
 */
export async function readEvents(
  { rpc, entryPoint, contracts, usdc }: FollowedChain,
  vaults: readonly Address[],
  blocks: LogBlocks,
): Promise<ChainEventRows> {
  const { paymaster, validator } = contracts;
  const addresses = [entryPoint, paymaster, ...vaults];
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
  const isVault = new Set(vaults.map((vault) => vault.toLowerCase()));
  return {
    operations: parseUserOperations(logs, { entryPoint, paymaster, usdc, validator }),
    movements: parseShareMovements(logs.filter(({ address }) => isVault.has(address.toLowerCase()))),
  };
}

/** Whether each block follows the one before it. */
export function isInRow(headers: readonly Pick<Header, 'hash' | 'parentHash'>[]): boolean {
  return headers.every(
    ({ parentHash }, index) => index === 0 || sameHex(parentHash, headers[index - 1]!.hash),
  );
}
