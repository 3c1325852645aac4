import { createRandom } from './synthetic-vaults.js';

/** A body for an endpoint. */
export interface Body<Content> {
  readonly path: string;
  readonly body: Content;
}

/** As a list item: so long that the largest body holds just less than the limit of 2,000 values. */
const long = `"${'x'.repeat(134)}",`;
/** Raw JSON: a start, a unit (# is its number) as often as it fits, the middle, and an end as often. */
const values = [
  ...['|[|1|]', '|{"a":|1|}', '[|1,|1]', '[|{},|1]', '[|[],|1]', `[|${long}|1]`],
  ...['"|x|"', '"|9|"', '"| |"', '"|é|"', '"|\\u0041|"', '"|\\"|"', '"0x|0|"', '"0x|aB|"', '"0.|0|"'],
  ...['|9|9', '1e|9|9'],
];
const members = [
  ...['|"k#":1,|"k":1', '|"#":1,|"k":1', `|"k#":${long}|"k":1`],
  ...['|"chain":"base",|"k":1', '|"":{},|"k":1', `|"chain":${long}|"k":1`],
];

function fill(filling: string, bytes: number): string {
  const [start, unit = '', middle, end = ''] = filling.split('|');
  const size = Buffer.byteLength(unit.replace('#', '00000') + end);
  const count = Math.max(1, Math.floor((bytes - 16) / size));
  const units = Array.from({ length: count }, (_, index) => unit.replace('#', String(index)));
  return [start, ...units, middle, end.repeat(count)].join('');
}

/** A type-4 transaction of empty lists. */
function rlpBomb(bytes: number): string {
  const items = Math.floor(bytes / 2) - 8;
  return `"0x04fa${items.toString(16).padStart(6, '0')}${'c0'.repeat(items)}"`;
}

const mark = '@@';
/** Longest strings that fields accept. */
const fits = [16_386, 256];

/**
 * Generate bodies of one size. Each takes a valid example and puts a hostile value or hostile members in one place.
 * The same numbers give the same bodies.
 */
export function hostileBodies(
  examples: readonly Body<object>[],
  { count, bytes }: { readonly count: number; readonly bytes: number },
): Body<string>[] {
  const random = createRandom(1);
  const pick = <T>(choices: readonly T[]): T => choices[Math.floor(random() * choices.length)]!;
  return Array.from({ length: count }, (_, index) => {
    const { path, body } = examples[index % examples.length]!;
    const copy = structuredClone(body) as Json;
    const [owner, name] = pick(placesOf(copy));
    owner[name] = mark;
    const marked = JSON.stringify(copy);
    const room = bytes - marked.length;
    const size = pick([room, room, ...fits]);
    const hostile =
      random() < 0.6
        ? marked.replace(`"${mark}"`, random() < 0.06 ? rlpBomb(size) : fill(pick(values), size))
        : marked.replace(`"${name}":"${mark}"`, fill(pick(members), room));
    return { path, body: hostile.padEnd(bytes - (Buffer.byteLength(hostile) - hostile.length)) };
  });
}

type Json = Record<string, unknown>;

/** Every property, and an unknown property of every object. */
function placesOf(json: Json): (readonly [owner: Json, name: string])[] {
  const inner = Object.values(json).flatMap((value) =>
    typeof value === 'object' && value !== null ? placesOf(value as Json) : [],
  );
  if (Array.isArray(json)) return inner;
  return [...[...Object.keys(json), 'extra'].map((name) => [json, name] as const), ...inner];
}
