import type { ForkRecord } from '@yield-vault/forks';
import type { ForkDto } from './fork.dto.js';

/** Write a fork as the interface shows it. */
export function toForkDto({ id, kind, chain, chainId, status, forkBlock, createdAt }: ForkRecord): ForkDto {
  return {
    id,
    kind,
    chain,
    chainId,
    status,
    forkBlock: forkBlock.toString(),
    createdAt: new Date(createdAt).toISOString(),
    rpcPath: kind === 'persistent' ? `/rpc/${chain}` : `/rpc/forks/${id}`,
  };
}
