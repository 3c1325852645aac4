import { createRandom } from '../synthetic/random.js';

/** A valid body to start from. */
export interface BodyExample {
  readonly path: string;
  readonly body: object;
}

export interface HostileBody {
  readonly path: string;
  readonly kind: string;
  readonly body: string;
}

/** Raw JSON of about this many bytes: a value, or members of an object. */
type Fill = (bytes: number) => string;

const repeat = (text: string, bytes: number, separator = ',') =>
  Array.from({ length: Math.max(1, Math.floor(bytes / (text.length + 1))) }, () => text).join(separator);
const text = (unit: string, start = ''): Fill => {
  return (bytes) => `"${start}${unit.repeat(Math.floor((bytes - start.length) / Buffer.byteLength(unit)))}"`;
};
/** 1,900 values, just below the limit, which share the bytes. */
const few = (item: (index: number, bytes: number) => string): Fill => {
  return (bytes) => Array.from({ length: 1_900 }, (_, index) => item(index, bytes / 1_900 - 8)).join();
};
const padded = (bytes: number) => `"${'x'.repeat(Math.max(0, Math.floor(bytes)))}"`;
const many = (item: (index: number) => string): Fill => {
  return (bytes) =>
    Array.from({ length: Math.floor(bytes / (item(10_000).length + 1)) }, (_, index) => item(index)).join();
};
const nested = (open: string, close: string): Fill => {
  return (bytes) => {
    const levels = Math.floor(bytes / (open.length + close.length + 1));
    return `${open.repeat(levels)}1${close.repeat(levels)}`;
  };
};
/** A type-4 transaction of empty lists. */
const rlpBomb: Fill = (bytes) => {
  const items = Math.floor(bytes / 2) - 8;
  return `"0x04fa${items.toString(16).padStart(6, '0')}${'c0'.repeat(items)}"`;
};
const levels30: Fill = (bytes) => nested('[', ']')(60).replace('1', few((_, size) => padded(size))(bytes));

const values: Readonly<Record<string, readonly Fill[]>> = {
  deep: [nested('[', ']'), nested('{"a":', '}'), levels30],
  'long array': [
    (bytes) => `[${repeat('1', bytes)}]`,
    (bytes) => `[${repeat('{}', bytes)}]`,
    (bytes) => `[${repeat('[]', bytes)}]`,
    (bytes) => `[${few((_, size) => padded(size))(bytes)}]`,
    (bytes) => `[${few(() => '{}')(bytes)}]`,
  ],
  'long string': [
    ...[text('x'), text('9'), text('0', '0x'), text('aB', '0x'), text('é'), text('\\u0041'), text('\\"')],
    ...[text('0', '0.'), text(' '), rlpBomb],
    (bytes) => '9'.repeat(bytes),
    (bytes) => `1e${'9'.repeat(bytes)}`,
  ],
};
const members: Readonly<Record<string, readonly Fill[]>> = {
  wide: [
    many((index) => `"k${index}":1`),
    many((index) => `"${index}":1`),
    few((index, bytes) => `"k${index}":${padded(bytes - 6)}`),
    few((index, bytes) => `"${'k'.repeat(Math.max(0, Math.floor(bytes - 6)))}${index}":1`),
  ],
  'repeated keys': [
    (bytes) => repeat('"chain":"base"', bytes),
    (bytes) => repeat('"userOps":[]', bytes),
    (bytes) => repeat('"":{}', bytes),
    few((_, bytes) => `"chain":${padded(bytes - 8)}`),
  ],
};
const mark = '@@';
/** Longest strings that fields accept. */
const fits = [16_386, 256];

/**
 * Generate bodies of one size. Each takes a valid example and puts a hostile value or hostile members in one place.
 * The same numbers give the same bodies.
 */
export function hostileBodies(
  examples: readonly BodyExample[],
  { count, bytes }: { readonly count: number; readonly bytes: number },
): HostileBody[] {
  const random = createRandom(1);
  const pick = <T>(choices: readonly T[]): T => choices[Math.floor(random.next() * choices.length)]!;
  const paths = [...new Set(examples.map(({ path }) => path))];
  const kinds = [...Object.keys(values), ...Object.keys(members)];
  return Array.from({ length: count }, (_, index) => {
    const path = paths[index % paths.length]!;
    const kind = kinds[Math.floor(index / paths.length) % kinds.length]!;
    const { body } = pick(examples.filter((example) => example.path === path));
    const copy = structuredClone(body) as Record<string, unknown>;
    const [owner, name] = pick(placesOf(copy, kind in members));
    owner[name] = mark;
    const marked = JSON.stringify(copy);
    const room = bytes - marked.length;
    const hostile =
      kind in values
        ? marked.replace(`"${mark}"`, () =>
            pick(values[kind]!)(kind === 'long string' ? pick([room, ...fits]) : room),
          )
        : marked.replace(`"${name}":"${mark}"`, () => pick(members[kind]!)(room));
    return {
      path,
      kind,
      body: hostile.slice(0, bytes).padEnd(bytes - (Buffer.byteLength(hostile) - hostile.length)),
    };
  });
}

type Place = readonly [owner: Record<string, unknown>, name: string];

/** Every property and item, and an unknown property of every object; with `added` only the last. */
function placesOf(json: Record<string, unknown>, added: boolean): Place[] {
  const inner = Object.values(json).flatMap((value) =>
    typeof value === 'object' && value !== null ? placesOf(value as Record<string, unknown>, added) : [],
  );
  const extra: Place[] = Array.isArray(json) ? [] : [[json, 'extra']];
  const own = added ? [] : Object.keys(json).map((name): Place => [json, name]);
  return [...own, ...extra, ...inner];
}
