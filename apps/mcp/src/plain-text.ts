import { hexPattern, signedDecimalPattern } from '@yield-vault/protocol';

const longestName = 64;
/** The longest text that is no name. */
export const longestText = 500;
const names = new Set(['name', 'vaultName', 'protocol', 'symbol', 'asset']);

/** Limit text of others to printable characters and a length: it reaches a language model. */
function printable(text: string, length = longestName): string {
  const characters = Array.from(text.replace(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, ''));
  return characters.length > length ? `${characters.slice(0, length - 1).join('')}…` : characters.join('');
}

/** Limit every text in a response of the service: names to 64 characters, others to 500. Hex and decimals stay whole, so that they still fit the output schema; bigint is written in JSON as text. */
export function plain<T>(value: T, key = ''): T {
  if (typeof value === 'string' && (hexPattern.test(value) || signedDecimalPattern.test(value))) return value;
  if (typeof value === 'string') return printable(value, names.has(key) ? longestName : longestText) as T;
  if (Array.isArray(value)) return value.map((each) => plain<unknown>(each, key)) as T;
  if (typeof value === 'bigint') return String(value) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [printable(name), plain<unknown>(each, name)]),
  ) as T;
}

/** Quote text of others, a name by default. The quotation marks show where it ends. */
export function quoted(text: string, length = longestName): string {
  return `"${printable(text.replaceAll('"', "'"), length)}"`;
}
