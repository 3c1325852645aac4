import { z } from 'zod';
import type { ForkHealth, ForkRecord, FundedBalances } from '../types.js';

const digits = z
  .string()
  .regex(/^\d{1,78}$/)
  .transform(BigInt);

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

export const wireHealthSchema: z.ZodType<ForkHealth> = z.object({
  status: z.enum(['healthy', 'degraded', 'unavailable']),
  version: z.string(),
  activeForks: z.int().nonnegative(),
  maxForks: z.int().positive().nullable(),
});

/** The used fields of an error response. */
export const wireErrorSchema = z.object({
  code: z.string(),
  detail: z.string(),
  retryable: z.boolean(),
  nextAction: z.string(),
  details: z.record(z.string(), z.json()).default({}),
});
