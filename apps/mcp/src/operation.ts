import type { AddressBook, OperationRequest } from '@yield-vault/agent-client';
import { decimalPattern, hash32Pattern, operations, riskLevels, strategies } from '@yield-vault/protocol';
import { getAddress, isAddress, type Address } from 'viem';
import { z } from 'zod';
import { ToolError } from './tool-result.js';

export const address = z
  .string()
  .refine((text) => isAddress(text), 'is no address, or its checksum is wrong')
  .transform((text): Address => getAddress(text));

export const intentId = z.string().regex(hash32Pattern, 'is not 0x and 64 hex digits');
export const wallet = address.describe('The wallet that will sign.');
export const chain = z.string().default('base').describe('Chain key, such as base.');
export const vault = address.describe('vaultAddress of discover_vaults; for a rebalance, of the source.');
export const asset = z.string().default('USDC').describe("Symbol of the vault's asset.");
export const amount = z
  .string()
  .regex(decimalPattern, 'is not digits with an optional fraction')
  .describe('To deposit: human units of the asset, such as "25.5".');
export const percentage = z.number().gt(0).max(100).describe('To redeem: percent of the position.');
const targets = z.array(address).min(1).describe('To rebalance: vaults that the position may move to.');

const unverified = 'Only the service applies it; the envelope cannot prove it.';

/** Where a rebalance goes. */
export const steering = {
  target: address.optional().describe('To rebalance: the vault that the position moves to.'),
  strategy: z
    .enum(strategies)
    .optional()
    .describe(`To rebalance without target: what ranks the vaults. ${unverified}`),
  riskTolerance: z
    .enum(riskLevels)
    .optional()
    .describe(`To rebalance without target: highest accepted risk. ${unverified}`),
};

/** An operation of a wallet whose key is elsewhere. */
export const operationInput = {
  operation: z.enum(operations),
  wallet,
  chain,
  vault,
  asset,
  amount: amount.optional(),
  percentage: percentage.optional(),
  targets: targets.optional(),
  ...steering,
};
export type OperationInput = z.infer<z.ZodObject<typeof operationInput>>;

/**
 * Read the operation of a call.
 *
 * @throws {ToolError} `INVALID_PARAMETERS` when a field is missing or belongs to another operation
 */
export function toRequest(input: Omit<OperationInput, 'wallet' | 'chain'>): OperationRequest {
  const { operation, vault, asset, amount, percentage, targets, target, strategy, riskTolerance } = input;
  const place = { vault, asset };
  const given = [amount, percentage, targets, target].filter((field) => field !== undefined);
  if (given.length === 1 && (targets || !(strategy ?? riskTolerance))) {
    if (operation === 'deposit' && amount) return { operation, ...place, amount };
    if (operation === 'redeem' && percentage) return { operation, ...place, percentage };
    if (operation === 'rebalance' && target) return { operation, ...place, target };
    if (operation === 'rebalance' && targets)
      return { operation, ...place, targets, strategy, riskTolerance };
  }
  const nextAction =
    'A deposit takes amount, a redeem percentage, and a rebalance either target, or targets with strategy and riskTolerance.';
  throw new ToolError('INVALID_PARAMETERS', `These are not the fields of a ${operation}.`, nextAction);
}

/**
 * Find the id of a chain.
 *
 * @throws {ToolError} when the address book has no such chain
 */
export function chainIdOf({ deployments }: AddressBook, key: string): number {
  const found = deployments.find((deployment) => deployment.chain === key);
  if (found) return found.chainId;
  const known = [...new Set(deployments.map((deployment) => deployment.chain))].join(', ');
  throw new ToolError('UNKNOWN_CHAIN', `The address book has no chain ${key}.`, `Use one of: ${known}.`);
}
