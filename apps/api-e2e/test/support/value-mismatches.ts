import { getAddress } from 'viem';

const isAddress = (text: string): text is `0x${string}` => /^0x[0-9a-fA-F]{40}$/.test(text);

/** List the values of a body that break what holds in every response; empty when none does. */
export function valueMismatches(value: unknown, path = 'body'): string[] {
  if (typeof value === 'string')
    return isAddress(value) && value !== getAddress(value) ? [`${path} is not in EIP-55 form`] : [];
  if (typeof value === 'number' && path.endsWith('.compositeScore'))
    return value >= 0 && value <= 100 && value === Number(value.toFixed(2))
      ? []
      : [`${path} is ${value}, not 0 to 100 with two decimals`];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, field]) => valueMismatches(field, `${path}.${key}`));
}
