import { entryPointV08Abi } from '@yield-vault/contracts';
import type { AwaitedOperation } from '@yield-vault/protocol';
import { splitNonce } from '@yield-vault/smart-account';
import type { FollowedChain } from './types.js';

/** Read the next nonces of operations in one request. */
export function readNonces(
  { rpc, entryPoint: address }: FollowedChain,
  awaited: readonly AwaitedOperation[],
): Promise<readonly bigint[]> {
  const contracts = awaited.map(({ sender, nonce }) => ({
    address,
    abi: entryPointV08Abi,
    functionName: 'getNonce' as const,
    args: [sender, splitNonce(nonce).key] as const,
  }));
  return rpc.multicall({ contracts, allowFailure: false, batchSize: 0 });
}
