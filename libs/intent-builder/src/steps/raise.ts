/** Take a percentage of an amount, rounded up. */
export const raise = (amount: bigint, percent: bigint): bigint => (amount * percent + 99n) / 100n;
