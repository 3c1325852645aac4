import { isAddress, isHex, type Address, type Hex, type Log } from 'viem';
import { z } from 'zod';
import { rpcErrorSchema } from '../rpc/create-fork-request.js';
import type { ForkHealth, ForkRecord, FundedBalances, SentTransaction } from '../types.js';

const digits = z
  .string()
  .regex(/^\d{1,78}$/)
  .transform(BigInt);
const hex = z.custom<Hex>((value) => isHex(value));
const address = z.custom<Address>(
  (value) => typeof value === 'string' && isAddress(value, { strict: false }),
);

/** The wire form of a fork. */
export const wireForkSchema = z
  .object({
    id: z.string().min(1),
    kind: z.enum(['persistent', 'ephemeral']),
    chain: z.string(),
    chainId: z.int().positive(),
    status: z.enum(['starting', 'running', 'stopped', 'failed']),
    forkBlock: digits,
    createdAt: z.iso.datetime(),
    rpcPath: z.string().startsWith('/'),
  })
  .transform(({ rpcPath, createdAt, ...fork }): WireFork => ({
    record: { ...fork, createdAt: Date.parse(createdAt) },
    rpcPath,
  }));

export interface WireFork {
  readonly record: ForkRecord;
  /** Path of its plain JSON-RPC. */
  readonly rpcPath: string;
}

export const wireForksSchema = z.object({ forks: z.array(wireForkSchema) });

export const wireBalancesSchema: z.ZodType<FundedBalances> = z.object({
  ethWei: digits,
  usdcBaseUnits: digits,
});

export const wireSnapshotSchema = z.object({ snapshotId: z.string().min(1) });

export const wireRevertSchema = z.object({ reverted: z.boolean() });

export const wireHealthSchema: z.ZodType<ForkHealth> = z.object({
  status: z.enum(['healthy', 'degraded', 'unavailable']),
  version: z.string(),
  activeForks: z.int().nonnegative(),
  maxForks: z.int().positive().nullable(),
});

const wireLogSchema = z
  .object({
    address,
    topics: z.array(hex),
    data: hex,
    blockNumber: digits,
    blockHash: hex,
    transactionHash: hex,
    transactionIndex: z.int(),
    logIndex: z.int(),
  })
  .transform((log): Log => ({ ...log, topics: log.topics as Log['topics'], removed: false }));

export const wireTransactionSchema: z.ZodType<SentTransaction> = z.object({
  hash: hex,
  success: z.boolean(),
  gasUsed: digits,
  logs: z.array(wireLogSchema),
  returnData: hex,
});

/** The used fields of an error response. */
export const wireErrorSchema = z.object({
  code: z.string(),
  detail: z.string(),
  retryable: z.boolean(),
  nextAction: z.string(),
  details: z.record(z.string(), z.json()).default({}),
});

/** The `details` of a call that the fork refused. */
export const refusedCallSchema = z.object({ rpcError: rpcErrorSchema });
