import type { Apy } from '@yield-vault/protocol';

const yearSeconds = 31_536_000;
// A quote is as old as the newest block.
const quoteAgeSeconds = 60;
const precision = 10n ** 18n;

/**
 * Say how many shares a deposit brings at the last moment it may run: a share then costs more by what the vault earns
 * until then.
 *
 * @param quoted - shares it would bring now, in base units
 * @param apy - of the vault, in percent; its fastest counts
 * @param seconds - until the intent expires
 */
export function leastShares(quoted: bigint, apy: Apy, seconds: number): bigint {
  const fastest = Math.max(apy.now, apy.week, apy.month, 0) / 100;
  const growth = Math.expm1((Math.log1p(fastest) * (seconds + quoteAgeSeconds)) / yearSeconds);
  return (quoted * precision) / (precision + BigInt(Math.ceil(growth * Number(precision))));
}
