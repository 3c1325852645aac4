import fc, { type Arbitrary } from 'fast-check';
import type { Operation } from './read-operations.js';

/** Values that get a request past the form checks, by the name of their property. */
export type KnownValues = Readonly<Record<string, readonly unknown[]>>;

type Json = Record<string, unknown>;

/**
 * Generate requests from documented ones. All have known values in place of those of the examples; in half of them up to
 * three places are replaced, removed or added. A seed always gives the same requests.
 */
export function generateRequests(
  operations: readonly Operation[],
  known: KnownValues,
  { count, seed }: { readonly count: number; readonly seed: number },
): Operation[] {
  const requests = operations.map((operation) => {
    const isPost = operation.method === 'POST';
    const example = isPost ? (operation.body as Json) : fieldsOf(operation.path);
    const fields = Object.entries(example).map(
      ([name, value]) => [name, fc.constantFrom(...(known[name] ?? [value]))] as const,
    );
    return mutated(fc.record(Object.fromEntries(fields))).map((json): Operation =>
      isPost ? { ...operation, body: json } : { ...operation, path: pathOf(operation.path, json) },
    );
  });
  return fc.sample(fc.oneof(...requests), { numRuns: count, seed });
}

const idAtEnd = /(?<=\/)(0x\w+|\d+)$/;

/** The query of a path, and the id at its end. */
function fieldsOf(url: string): Json {
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  const id = idAtEnd.exec(pathname)?.[0];
  return { ...Object.fromEntries(searchParams), ...(id !== undefined && { vaultId: id }) };
}

function pathOf(url: string, json: unknown): string {
  const query = new URLSearchParams();
  let path = url.split('?')[0]!;
  for (const [name, value] of Object.entries((json ?? {}) as Json)) {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    if (name === 'vaultId' && idAtEnd.test(path))
      path = path.replace(idAtEnd, () => encodeURIComponent(Buffer.from(text || '0').toString()));
    else query.append(name, text);
  }
  return query.size > 0 ? `${path}?${query.toString()}` : path;
}

const hostileTexts = [
  '',
  ' ',
  '0',
  '-1',
  '1e999',
  '0x',
  'null',
  '\u0000',
  '\ud800',
  '9'.repeat(300),
  '../..',
  '%',
];
const replacement = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom<unknown>(...hostileTexts, -1, 0, 2 ** 53, 1e308),
);

/** Change up to three places in half of the values. */
function mutated(values: Arbitrary<unknown>): Arbitrary<unknown> {
  const mutation = fc.record({
    place: fc.nat(),
    kind: fc.constantFrom('replace', 'remove', 'add'),
    value: replacement,
  });
  const mutations = fc.oneof(fc.constant([]), fc.array(mutation, { minLength: 1, maxLength: 3 }));
  return fc.tuple(values, mutations, replacement, fc.nat(99)).map(([original, changes, other, chance]) => {
    if (changes.length > 0 && chance === 0) return other;
    const root = { root: structuredClone(original) };
    for (const { place, kind, value } of changes) {
      const places = placesOf(root);
      const found = places[place % places.length];
      if (!found) break;
      const [owner, name] = found;
      if (kind === 'remove') delete owner[name];
      else owner[kind === 'add' ? `${name}x` : name] = value;
    }
    return root.root ?? {};
  });
}

/** Every property and item inside. */
function placesOf(json: Json): (readonly [owner: Json, name: string])[] {
  return Object.entries(json).flatMap(([name, value]) => [
    [json, name] as const,
    ...(typeof value === 'object' && value !== null ? placesOf(value as Json) : []),
  ]);
}
