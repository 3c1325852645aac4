interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly example?: unknown;
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** Schemas of the document by name. */
export type Schemas = Readonly<Record<string, object>>;

/** Build an example from the examples of the fields, without optional fields that have none. */
export function exampleOf(schemas: Schemas, schema: object): unknown {
  const { $ref, type, example, allOf, oneOf, items, properties, required = [] } = schema as Schema;
  const [part] = allOf ?? oneOf ?? [];
  if (example !== undefined) return example;
  if ($ref !== undefined) return exampleOf(schemas, schemas[$ref.replace('#/components/schemas/', '')] ?? {});
  if (part !== undefined) return exampleOf(schemas, part);
  if (type === 'array') return [exampleOf(schemas, items ?? {})];
  if (type !== 'object') return null;
  const fields = Object.entries(properties ?? {}).filter(
    ([name, field]) => required.includes(name) || field.example !== undefined,
  );
  return Object.fromEntries(fields.map(([name, field]) => [name, exampleOf(schemas, field)]));
}
