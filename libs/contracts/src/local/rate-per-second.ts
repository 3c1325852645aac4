const secondsPerYear = 31_536_000;

/**
 * Convert a yield in percent a year into the growth per second that a local vault takes.
 *
 * @param apyPercent Effective yearly yield, 10 means 10 %.
 * @returns Continuously compounded growth per second, 1e18 = 100 %.
 */
export function ratePerSecond(apyPercent: number): bigint {
  return BigInt(Math.round((Math.log1p(apyPercent / 100) / secondsPerYear) * 1e18));
}
