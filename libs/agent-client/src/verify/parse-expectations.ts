import { z } from 'zod';
import { InvalidExpectationsError } from './errors.js';
import type { EnvelopeExpectations, ExpectedOperation, SetupExpectations } from './types.js';
import { address, baseUnits, bytes, chainId, firstProblem } from './wire-values.js';

// A minimum of zero protects from nothing; the executor refuses it as well.
const minimum = baseUnits.refine((value) => value > 0n, 'is not above zero');
const asset = address.optional();

const operation = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('deposit'), vault: address, asset, amount: minimum, minShares: minimum }),
  z.strictObject({
    kind: z.literal('redeem'),
    vault: address,
    asset,
    shares: z.union([z.literal('all'), minimum, z.strictObject({ atMost: minimum })]),
    minAssets: minimum,
  }),
  z.strictObject({
    kind: z.literal('rebalance'),
    from: address,
    to: z.union([address, z.array(address).min(1).readonly()]),
    asset,
    minAssets: minimum,
    minShares: minimum,
  }),
]) satisfies z.ZodType<ExpectedOperation>;

const common = {
  wallet: address,
  chain: z.union([z.string().min(1), chainId]),
  maxAllowanceUsdc: baseUnits.optional(),
};

const envelopeExpectations = z.strictObject({
  ...common,
  operation,
  maxGasUsdc: baseUnits,
  maxEthUsd: z.number().positive().max(1e9).optional(),
  maxLifetimeSeconds: z.int().positive().optional(),
  nonceSequence: baseUnits.optional(),
}) satisfies z.ZodType<EnvelopeExpectations>;

const setupExpectations = z.strictObject({
  ...common,
  setupType: z.enum(['full', 'modules']).optional(),
  walletCode: bytes.optional(),
  replaceDelegation: z.boolean().optional(),
  maxFeeWei: baseUnits.optional(),
}) satisfies z.ZodType<SetupExpectations>;

/**
 * Read expectations of an envelope, from JSON or not: amounts are bigint or decimal strings of base units.
 *
 * @throws {InvalidExpectationsError} when something is missing, malformed or unknown
 */
export function parseExpectations(expectations: unknown): EnvelopeExpectations {
  return parse(envelopeExpectations, expectations);
}

/**
 * Read expectations of a setup, from JSON or not: amounts are bigint or decimal strings of base units.
 *
 * @throws {InvalidExpectationsError} when something is missing, malformed or unknown
 */
export function parseSetupExpectations(expectations: unknown): SetupExpectations {
  return parse(setupExpectations, expectations);
}

function parse<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { field, detail } = firstProblem(parsed.error);
  throw new InvalidExpectationsError(`expectations${field && `.${field}`}: ${detail}`);
}
