export const yearSeconds = 31_536_000;
export const yearDays = 365;
export const daySeconds = 86_400;
export const hourSeconds = 3_600;

/** Start of the UTC hour of a time; Unix seconds. */
export const floorHour = (t: number): number => t - (t % hourSeconds);

export const clamp = (value: number, low: number, high: number): number =>
  Math.min(high, Math.max(low, value));

/** Round half up to a number of decimals. */
export function round(value: number, decimals: number): number {
  const scale = 10 ** decimals;
  const scaled = value * scale;
  // A number this large has no decimals, and its scaled value may not exist.
  return Number.isFinite(scaled) ? Math.round(scaled) / scale : value;
}

export function mean(values: ArrayLike<number>): number {
  let sum = 0;
  for (let index = 0; index < values.length; index++) sum += values[index]!;
  return sum / values.length;
}

/** Median of numbers, NaN for none. Puts them into another order. */
export function medianInPlace(values: Float64Array): number {
  const { length } = values;
  if (length === 0) return NaN;
  const middle = length >> 1;
  const upper = selectInPlace(values, middle);
  if (length % 2 === 1) return upper;
  let lower = values[0]!;
  for (let index = 1; index < middle; index++) if (values[index]! > lower) lower = values[index]!;
  return (lower + upper) / 2;
}

/** Hoare's selection: afterwards nothing before `k` is larger than `values[k]`, which is returned. */
function selectInPlace(values: Float64Array, k: number): number {
  let low = 0;
  let high = values.length - 1;
  while (low < high) {
    const pivot = values[(low + high) >> 1]!;
    let left = low;
    let right = high;
    while (left <= right) {
      while (values[left]! < pivot) left++;
      while (values[right]! > pivot) right--;
      if (left > right) break;
      const swapped = values[left]!;
      values[left++] = values[right]!;
      values[right--] = swapped;
    }
    if (k <= right) high = right;
    else if (k >= left) low = left;
    else break;
  }
  return values[k]!;
}

/** Standard deviation of a sample (n − 1). */
export function sampleDeviation(values: ArrayLike<number>): number {
  const average = mean(values);
  let squares = 0;
  for (let index = 0; index < values.length; index++) squares += (values[index]! - average) ** 2;
  return Math.sqrt(squares / (values.length - 1));
}
