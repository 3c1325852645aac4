import fc, { type Arbitrary } from 'fast-check';

/** A request, valid or not. */
export interface GeneratedRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** JSON text of a POST. */
  readonly body?: string;
}

interface Schema {
  readonly $ref?: string;
  readonly oneOf?: readonly Schema[];
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}
interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Schema;
}
interface Content {
  readonly content?: {
    readonly 'application/json'?: {
      readonly schema: Schema;
      readonly examples?: Readonly<Record<string, { readonly value: Json }>>;
    };
  };
}
interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
}
interface Document {
  readonly paths: Readonly<Record<string, { readonly get?: Operation; readonly post?: Operation }>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** Values that get a request past the form checks, by the name of their property. */
export type KnownValues = Readonly<Record<string, readonly unknown[]>>;

type Json = Record<string, unknown>;

/**
 * Generate requests for every JSON operation of an OpenAPI document. Half of them follow the schemas; in the others up to
 * three places are replaced, removed or added. A seed always gives the same requests.
 */
export function generateRequests(
  document: unknown,
  known: KnownValues,
  { count, seed }: { readonly count: number; readonly seed: number },
): GeneratedRequest[] {
  const { paths, components } = document as Document;
  const valueOf = (schema: Schema, name: string): Arbitrary<unknown> => {
    const fresh = arbitraryOf(schema, (part, partName = name) => valueOf(part, partName), components.schemas);
    const values = known[name];
    if (values === undefined) return fresh;
    return fc.oneof({ arbitrary: fc.constantFrom(...values), weight: 4 }, { arbitrary: fresh, weight: 1 });
  };
  const operations = Object.entries(paths).flatMap(([path, { get, post }]) => [
    ...(get && isJson(get) ? [queryOf(path, get, valueOf)] : []),
    ...(post && isJson(post) ? [bodyOf(path, post, valueOf, known)] : []),
  ]);
  return fc.sample(fc.oneof(...operations), { numRuns: count, seed });
}

const isJson = ({ responses }: Operation) => responses['200']?.content?.['application/json'] !== undefined;

type ValueOf = (schema: Schema, name: string) => Arbitrary<unknown>;

function bodyOf(
  path: string,
  { requestBody }: Operation,
  valueOf: ValueOf,
  known: KnownValues,
): Arbitrary<GeneratedRequest> {
  const { schema = {}, examples = {} } = requestBody?.content?.['application/json'] ?? {};
  // Optional properties that exclude each other seldom meet the rules by chance; examples always do.
  const fromExamples = Object.values(examples).map(({ value }) =>
    fc.nat(99).map((index): Json => {
      const fields = Object.entries(value).map(([name, field]) => {
        const values = known[name] ?? [field];
        return [name, values[index % values.length]] as const;
      });
      return Object.fromEntries(fields);
    }),
  );
  const valid = fc.oneof(valueOf(schema, ''), ...fromExamples);
  return mutated(valid).map((json) => ({ method: 'POST', path, body: JSON.stringify(json) }));
}

function queryOf(
  pattern: string,
  { parameters = [] }: Operation,
  valueOf: ValueOf,
): Arbitrary<GeneratedRequest> {
  const given = parameters.filter((parameter) => parameter.in !== 'header');
  const values = fc.record(
    Object.fromEntries(given.map(({ name, schema }) => [name, valueOf(schema, name)])),
    { requiredKeys: given.filter(({ required }) => required).map(({ name }) => name) },
  );
  return mutated(values).map((json) => {
    const query = new URLSearchParams();
    let path = pattern;
    for (const [name, value] of Object.entries((json ?? {}) as Json)) {
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      if (pattern.includes(`{${name}}`))
        path = path.replace(`{${name}}`, () => encodeURIComponent(Buffer.from(text || '0').toString()));
      else query.append(name, text);
    }
    return {
      method: 'GET',
      path: `${path.replace(/\{\w+\}/, '0')}${query.size ? '?' : ''}${query.toString()}`,
    };
  });
}

function arbitraryOf(
  schema: Schema,
  valueOf: (part: Schema, name?: string) => Arbitrary<unknown>,
  schemas: Readonly<Record<string, Schema>>,
): Arbitrary<unknown> {
  const { $ref, oneOf, minimum, maximum, pattern, maxLength = 64, minItems = 0, maxItems = 3 } = schema;
  if ($ref !== undefined) return valueOf(schemas[$ref.split('/').at(-1)!]!);
  if (oneOf) return fc.oneof(...oneOf.map((one) => valueOf(one)));
  if (schema.enum) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case 'string':
      return pattern === undefined ? fc.string({ maxLength }) : fc.stringMatching(new RegExp(pattern));
    case 'integer':
      return fc.integer({ min: minimum ?? 0, max: maximum ?? Number.MAX_SAFE_INTEGER });
    case 'number':
      return fc.double({ min: minimum ?? -1e9, max: maximum ?? 1e9, noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(valueOf(schema.items ?? {}), { minLength: minItems, maxLength: Math.min(3, maxItems) });
    case 'object': {
      const { properties = {}, required = [] } = schema;
      const fields = Object.entries(properties).map(([name, field]) => [name, valueOf(field, name)] as const);
      return fc.record(Object.fromEntries(fields), { requiredKeys: [...required] });
    }
    default:
      return fc.jsonValue();
  }
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
