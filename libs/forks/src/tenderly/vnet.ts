import { z } from 'zod';

/** A Virtual TestNet as this library sees it, whichever route told about it. */
export interface Vnet {
  readonly id: string;
  readonly slug: string;
  /** An open set; `running` is the only value that is documented. Not every route tells it. */
  readonly status?: string;
  /** Not every answer has it. */
  readonly forkBlock?: bigint;
  /** Unix milliseconds. Not every answer has it. */
  readonly createdAt?: number;
  /** With the rights of its operator. Its path is a secret. */
  readonly adminRpcUrl?: string;
  readonly publicRpcUrl?: string;
}

const rpcSchema = z.object({ name: z.string(), url: z.string() });

/** What the API answers about one Virtual TestNet; what is not read is not looked at. */
export const vnetSchema = z
  .object({
    id: z.string().regex(/^[\w-]+$/),
    slug: z.string().default(''),
    status: z.string().nullish(),
    created_at: z.string().nullish(),
    fork_config: z.object({ block_number: z.union([z.string(), z.number()]).nullish() }).nullish(),
    rpcs: z.array(rpcSchema).nullish(),
  })
  .transform(({ id, slug, status, created_at, fork_config, rpcs }): Vnet => {
    const createdAt = Date.parse(created_at ?? '');
    const forkBlock = readBlockNumber(fork_config?.block_number);
    const adminRpcUrl = findRpc(rpcs, 'Admin RPC');
    const publicRpcUrl = findRpc(rpcs, 'Public RPC');
    return {
      id,
      slug,
      ...(status != null && { status }),
      ...(forkBlock !== undefined && { forkBlock }),
      ...(!Number.isNaN(createdAt) && { createdAt }),
      ...(adminRpcUrl !== undefined && { adminRpcUrl }),
      ...(publicRpcUrl !== undefined && { publicRpcUrl }),
    };
  });

// "latest" is echoed where the block was not settled yet.
function readBlockNumber(value: string | number | null | undefined): bigint | undefined {
  return /^(0x[\da-f]+|\d+)$/i.test(String(value)) ? BigInt(String(value)) : undefined;
}

// Several entries may share a name, one for each kind of address.
function findRpc(rpcs: readonly z.infer<typeof rpcSchema>[] | null | undefined, name: string) {
  return rpcs?.find((rpc) => rpc.name === name && /^https?:/.test(rpc.url))?.url;
}
