import { formatUnits, parseUnits } from 'viem';
import { invalidParameters } from './errors/violations.js';

/** Decimals of USDC on every supported chain. */
export const usdcDecimals = 6;

/** The larger of two amounts. */
export function maxBigInt(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}

/** The smaller of two amounts. */
export function minBigInt(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

/** A decimal number as the interface writes it: digits with an optional fractional part. */
export const decimalPattern = /^\d+(\.\d+)?$/;

/**
 * Parse an amount in human units into base units.
 *
 * @param amount - decimal digits with an optional fractional part
 * @param decimals - decimals of the token
 * @throws {InvalidParametersError} when it is no decimal number, zero, or has too many decimals
 */
export function parseAmount(amount: string, decimals: number, field = 'amount'): bigint {
  const refuse = (message: string) => invalidParameters([{ field, message }]);
  if (!decimalPattern.test(amount)) throw refuse('must be digits with an optional fractional part');
  const fraction = amount.split('.')[1]?.replace(/0+$/, '') ?? '';
  if (fraction.length > decimals) throw refuse(`has more than the ${decimals} decimals of the asset`);
  const baseUnits = parseUnits(amount, decimals);
  if (baseUnits === 0n) throw refuse('must be above zero');
  if (baseUnits >= 1n << 256n) throw refuse('is larger than any token amount');
  return baseUnits;
}

/** Format base units as a decimal string in human units, without trailing zeros. */
export function formatAmount(baseUnits: bigint, decimals: number): string {
  return formatUnits(baseUnits, decimals);
}

/** A ratio of whole numbers. */
export interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/**
 * Write a percentage as a fraction, exactly.
 *
 * @param percentage - above 0, at most 100; decimal fractions allowed
 */
export function percentageToFraction(percentage: number): Fraction {
  // String() returns the decimal that the caller wrote; toFixed would add binary noise.
  const text = percentage < 1e-6 ? percentage.toFixed(18) : String(percentage);
  const decimals = text.split('.')[1]?.length ?? 0;
  return { numerator: parseUnits(text, decimals), denominator: 100n * 10n ** BigInt(decimals) };
}

/**
 * Take a percentage of a balance, rounded down; 100 takes all.
 *
 * @param percentage - above 0, at most 100; decimal fractions allowed
 */
export function shareOfBalance(balance: bigint, percentage: number): bigint {
  const { numerator, denominator } = percentageToFraction(percentage);
  return (balance * numerator) / denominator;
}

/** Lower a quoted amount by a tolerance in basis points, rounded down, at least 1. */
export function minimumOut(quoted: bigint, slippageBps: number): bigint {
  const minimum = (quoted * BigInt(10_000 - slippageBps)) / 10_000n;
  return minimum > 0n ? minimum : 1n;
}
