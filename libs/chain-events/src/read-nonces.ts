import { entryPointV08Abi } from '@yield-vault/contracts';
import type { AwaitedOperation } from '@yield-vault/protocol';
import { splitNonce } from '@yield-vault/smart-account';
import type { FollowedChain } from './types.js';

// Every node's gas cap for eth_call allows so many calls.
const callsOfBatch = 1_000;

/** Read the next nonces of operations, a thousand in one request. */
export async function readNonces(
  { rpc, entryPoint: address }: FollowedChain,
  awaited: readonly AwaitedOperation[],
): Promise<readonly bigint[]> {
  const contracts = awaited.map(({ sender, nonce }) => ({
    address,
    abi: entryPointV08Abi,
    functionName: 'getNonce' as const,
    args: [sender, splitNonce(nonce).key] as const,
  }));
  const batches = Array.from({ length: Math.ceil(contracts.length / callsOfBatch) }, (_, index) =>
    contracts.slice(index * callsOfBatch, (index + 1) * callsOfBatch),
  );
  const read = (batch: typeof contracts) =>
    rpc.multicall({ contracts: batch, allowFailure: false, batchSize: 0 });
  return (await Promise.all(batches.map(read))).flat();
}
