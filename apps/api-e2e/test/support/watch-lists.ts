interface Schema {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
}

interface Response {
  readonly content?: { readonly 'application/json'?: { readonly schema: Schema } };
}

/** The parts of an OpenAPI document that these tests read. */
export interface OpenApiDocument {
  readonly paths: Readonly<
    Record<string, Record<string, { readonly responses: Readonly<Record<string, Response>> }>>
  >;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** Notes which lists of answers ever had an element: an empty list proves nothing about its elements. */
export interface ListWatch {
  note(route: string, body: unknown): void;
  /** Lists of the routes noted so far that were empty each time, as `GET /path body.list`. */
  alwaysEmpty(): readonly string[];
}

/** Watch the lists of the answers that an OpenAPI document describes. */
export function watchLists({ paths, components }: OpenApiDocument): ListWatch {
  const filled = new Map<string, Set<string>>();

  /** Paths of the lists of a schema; `*` is any key of a map. */
  const listsOf = (schema: Schema, path: string): string[] => {
    const { $ref, allOf = [], oneOf = [], items, properties = {}, additionalProperties } = schema;
    if ($ref !== undefined) return listsOf(components.schemas[$ref.split('/').at(-1)!]!, path);
    return [
      ...[...allOf, ...oneOf].flatMap((one) => listsOf(one, path)),
      ...(items ? [path, ...listsOf(items, `${path}[]`)] : []),
      ...Object.entries(properties).flatMap(([key, field]) => listsOf(field, `${path}.${key}`)),
      ...(typeof additionalProperties === 'object' ? listsOf(additionalProperties, `${path}.*`) : []),
    ];
  };
  const schemaOf = (route: string): Schema => {
    const [method = '', path = ''] = route.split(' ');
    const response = paths[path]?.[method.toLowerCase()]?.responses['200'];
    return response?.content?.['application/json']?.schema ?? {};
  };

  return {
    note(route, body) {
      const found = filled.get(route) ?? new Set<string>();
      filled.set(route, found);
      for (const path of filledLists(body, 'body')) found.add(path);
    },
    alwaysEmpty: () =>
      [...filled].flatMap(([route, found]) =>
        [...new Set(listsOf(schemaOf(route), 'body'))]
          .filter((list) => ![...found].some((path) => isAt(path, list)))
          .map((list) => `${route} ${list}`),
      ),
  };
}

function filledLists(value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value))
    return value.length === 0 ? [] : [path, ...value.flatMap((item) => filledLists(item, `${path}[]`))];
  return Object.entries(value).flatMap(([key, field]) => filledLists(field, `${path}.${key}`));
}

function isAt(path: string, list: string): boolean {
  const [steps, wanted] = [path.split('.'), list.split('.')];
  return steps.length === wanted.length && wanted.every((step, at) => step === '*' || step === steps[at]);
}
