/** The middle one; of an even number the lower of the two. */
export const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[(values.length - 1) >> 1] ?? NaN;
