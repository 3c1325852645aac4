/** A request that the documentation offers to send. */
export interface Operation {
  readonly method: 'GET' | 'POST';
  /** With the examples of its parameters filled in. */
  readonly path: string;
  readonly body: unknown;
}

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly schema: { readonly example?: unknown; readonly default?: unknown };
}

interface DocumentedOperation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly content: {
      readonly 'application/json': {
        readonly example?: unknown;
        readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
      };
    };
  };
}

/** Read every operation of an OpenAPI document, one for each example, as Swagger UI fills it in. */
export function readOperations(document: unknown): readonly Operation[] {
  const { paths } = document as {
    readonly paths: Readonly<Record<string, { get?: DocumentedOperation; post?: DocumentedOperation }>>;
  };
  return Object.entries(paths).flatMap(([pattern, { get, post }]): Operation[] => [
    ...(get ? [{ method: 'GET' as const, path: fillIn(pattern, get), body: undefined }] : []),
    ...(post ? bodiesOf(post).map((body) => ({ method: 'POST' as const, path: pattern, body })) : []),
  ]);
}

function fillIn(pattern: string, { parameters = [] }: DocumentedOperation): string {
  const query = new URLSearchParams();
  let path = pattern;
  for (const { name, in: place, schema } of parameters) {
    const value = schema.example ?? schema.default;
    if (place === 'path') path = path.replace(`{${name}}`, String(value));
    else if (place === 'query' && value !== undefined) query.set(name, String(value));
  }
  return query.size > 0 ? `${path}?${query.toString()}` : path;
}

function bodiesOf({ requestBody }: DocumentedOperation): readonly unknown[] {
  const { example, examples } = requestBody?.content['application/json'] ?? {};
  return examples ? Object.values(examples).map(({ value }) => value) : [example];
}
