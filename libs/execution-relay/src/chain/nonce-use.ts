import { readFromNode } from '@yield-vault/chains';
import { entryPointV08Abi } from '@yield-vault/contracts';
import type { UserOperation } from '@yield-vault/protocol';
import { splitNonce } from '@yield-vault/smart-account';
import type { ExecutionChain } from '../ports.js';

/** Read the next nonce of an operation's key, in the newest block by default. */
export function readNextNonce(
  chain: ExecutionChain,
  operation: UserOperation,
  blockNumber?: bigint,
): Promise<bigint> {
  return readFromNode(
    chain,
    chain.rpc.readContract({
      address: chain.entryPoint,
      abi: entryPointV08Abi,
      functionName: 'getNonce',
      args: [operation.sender, splitNonce(operation.nonce).key],
      blockNumber,
    }),
  );
}

/**
 * Check whether a nonce is used in the state of a block.
 *
 * @returns `undefined` when the node cannot say
 */
export async function isUsedAt(
  chain: ExecutionChain,
  operation: UserOperation,
  blockNumber: bigint,
): Promise<boolean | undefined> {
  if (blockNumber < 0n) return false;
  const next = await readNextNonce(chain, operation, blockNumber).catch(() => undefined);
  return next === undefined ? undefined : next > operation.nonce;
}

/**
 * Find the block in which a nonce was used, by the state of each.
 *
 * @param high - its state shows the use
 * @returns `undefined` when the node lacks the state
 */
export async function findBlockOfUse(
  chain: ExecutionChain,
  operation: UserOperation,
  low: bigint,
  high: bigint,
): Promise<bigint | undefined> {
  while (low < high) {
    const middle = (low + high) / 2n;
    if (await isUsedAt(chain, operation, middle)) high = middle;
    else low = middle + 1n;
  }
  return (await isUsedAt(chain, operation, high - 1n)) === false ? high : undefined;
}

/** Find the last block whose time is not after the given one. */
export async function lastBlockAt(
  chain: ExecutionChain,
  seconds: number,
  oldest: bigint,
  newest: bigint,
): Promise<bigint> {
  let [low, high] = [oldest < newest ? oldest : newest, newest];
  while (low < high) {
    const blockNumber = (low + high + 1n) / 2n;
    const { timestamp } = await readFromNode(chain, chain.rpc.getBlock({ blockNumber }));
    if (timestamp > seconds) high = blockNumber - 1n;
    else low = blockNumber;
  }
  return low;
}
