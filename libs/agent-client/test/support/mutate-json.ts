import { numberToHex, slice, type Hex } from 'viem';

type Path = readonly (string | number)[];

/** One change of a JSON document. */
export interface Mutation {
  readonly path: string;
  readonly document: unknown;
}

/** Change a JSON document at every place: each value replaced, each field left out, added to or doubled. */
export function mutateJson(document: unknown): Mutation[] {
  return pathsOf(document).flatMap((path) => {
    const value = at(document, path);
    return replacementsOf(value).map((replacement) => ({
      path: `${path.join('.')} ${JSON.stringify(replacement) ?? 'left out'}`.slice(0, 120),
      document: put(document, path, replacement),
    }));
  });
}

/** List the places of a JSON document, its root first. */
export function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  return [path, ...keys.flatMap((key) => pathsOf(at(value, [key]), [...path, key]))];
}

/** Read one place of a JSON document. */
export function at(document: unknown, path: Path): unknown {
  return path.reduce((value, key) => (value as Record<string | number, unknown>)[key], document);
}

/** Copy a JSON document with one place replaced; `undefined` leaves it out. */
export function put(document: unknown, [key, ...rest]: Path, replacement: unknown): unknown {
  if (key === undefined) return replacement;
  const value = put(at(document, [key]), rest, replacement);
  if (Array.isArray(document)) {
    return document.flatMap((item: unknown, index) =>
      index !== key ? [item] : value === undefined ? [] : [value],
    );
  }
  const { [key]: _, ...others } = document as Record<string | number, unknown>;
  return value === undefined ? others : { ...(document as object), [key]: value };
}

/** The same, the place as a dotted path. */
export function putAt(document: unknown, path: string, replacement: unknown): unknown {
  const keys = path === '' ? [] : path.split('.').map((key) => (/^\d+$/.test(key) ? Number(key) : key));
  return put(document, keys, replacement);
}

function replacementsOf(value: unknown): unknown[] {
  const others: unknown[] = [undefined, null, {}, [], true, 0, '', '0x'];
  if (typeof value === 'number')
    others.push(value + 1, value - 1, -value, value + 0.5, String(value), 2 ** 53);
  if (typeof value === 'string') others.push(...changedText(value));
  if (Array.isArray(value)) {
    others.push(
      [...value, {}],
      [...value, []],
      [...value, ...value],
      value.length > 1 ? value.toReversed() : [null],
    );
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    others.push({ ...value, extra: 1 }, [value]);
  const text = JSON.stringify(value);
  return others.filter((other) => JSON.stringify(other) !== text);
}

function changedText(value: string): string[] {
  const changed = [`${value}0`, `${value}00`, ` ${value}`, value.slice(0, -1), value.slice(0, -2)];
  if (/^[0-9]+$/.test(value)) {
    const number = BigInt(value);
    changed.push(
      `0${value}`,
      `${number + 1n}`,
      `${number * 2n}`,
      `0x${number.toString(16)}`,
      `-${value}`,
      `${value}.0`,
    );
  }
  const digits = value.startsWith('0x') ? [...value.slice(2)] : [];
  const flipped = (index: number) =>
    `0x${digits.map((digit, place) => (place === index ? (digit === '0' ? '1' : '0') : digit)).join('')}`;
  // Every digit of an address or a hash; of longer bytes as many, spread out.
  const step = Math.max(1, Math.floor(digits.length / 64));
  for (let index = 0; index < digits.length; index += step) changed.push(flipped(index));
  return changed;
}

/** Change one bit of one byte. */
export function flip(bytes: Hex, offset: number): Hex {
  const changed = numberToHex(Number(slice(bytes, offset, offset + 1)) ^ (1 << (offset % 8)), { size: 1 });
  const [before, after] = [bytes.slice(0, 2 + 2 * offset), bytes.slice(4 + 2 * offset)];
  return `${before}${changed.slice(2)}${after}` as Hex;
}
