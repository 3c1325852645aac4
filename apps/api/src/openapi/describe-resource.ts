import type { OpenAPIObject } from '@nestjs/swagger';
import { declareDiscoveryExtension } from '@x402/extensions/bazaar';
import { exampleOf } from '@yield-vault/server';
import type { DescribeResource, ResourceDiscovery } from '@yield-vault/payments';

type Schema = Readonly<Record<string, unknown>>;

// Keywords that no validator needs.
const prose = new Set(['description', 'example', 'examples', 'discriminator']);

const isObject = (value: unknown): value is Schema => typeof value === 'object' && value !== null;

const mapFields = (schema: Schema, map: (value: unknown, name: string) => unknown): Schema =>
  Object.fromEntries(
    Object.entries(schema).flatMap(([name, value]) => {
      const mapped = map(value, name);
      return mapped === undefined ? [] : [[name, mapped]];
    }),
  );

/** Replace the references of a schema by the schemas. */
function inline(schemas: Schema, schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map((each) => inline(schemas, each));
  if (!isObject(schema)) return schema;
  const { $ref } = schema;
  if (typeof $ref === 'string') return inline(schemas, schemas[$ref.replace('#/components/schemas/', '')]);
  return mapFields(schema, (value, name) => {
    // A field may have the name of a keyword.
    if (name === 'properties' && isObject(value)) return mapFields(value, (field) => inline(schemas, field));
    return prose.has(name) ? undefined : inline(schemas, value);
  });
}

/** Reduce an inlined schema to the types of its own fields. */
function outline({ type = 'object', properties }: Schema): Schema {
  if (!isObject(properties)) return { type };
  const typeOf = (field: unknown) => (isObject(field) && 'type' in field ? { type: field['type'] } : {});
  return { type, properties: mapFields(properties, typeOf) };
}

const withoutNested = (example: Schema): Schema =>
  mapFields(example, (value) => (isObject(value) ? undefined : value));

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;

/** The schema and an example of the JSON body of an operation, or of its query. */
function inputOf({ requestBody, parameters = [] }: Operation): Schema {
  if (requestBody && 'content' in requestBody) {
    const json = requestBody.content['application/json'];
    const [named] = Object.values(json?.examples ?? {});
    return {
      schema: json?.schema,
      example: (named && 'value' in named ? named.value : json?.example) as unknown,
    };
  }
  const query = parameters.filter((each) => 'in' in each).filter((each) => each.in === 'query');
  return {
    schema: {
      type: 'object',
      properties: Object.fromEntries(query.map(({ name, schema }) => [name, schema])),
      required: query.filter(({ required }) => required).map(({ name }) => name),
      additionalProperties: false,
    },
    example: Object.fromEntries(
      query.flatMap(({ name, schema }) => (schema && 'example' in schema ? [[name, schema.example]] : [])),
    ),
  };
}

/**
 * Describe input and output of a route for crawlers and agents that pay (Bazaar, x402). An outline has no nested output
 * fields, so that it fits into a response header.
 *
 * @throws {Error} when the document lacks the route
 */
export function describeResource(
  { paths, components }: OpenAPIObject,
  path: string,
  detail: Parameters<DescribeResource>[0],
): ResourceDiscovery {
  const schemas = (components?.schemas ?? {}) as Readonly<Record<string, object>>;
  const { post, get } = paths[path] ?? {};
  const operation = post ?? get;
  const response = operation?.responses['200'];
  const output =
    response && 'content' in response ? response.content?.['application/json']?.schema : undefined;
  if (!operation || !output) throw new Error(`${path} is not documented`);

  const { schema: inputSchema, example: input } = inputOf(operation) as Readonly<
    Record<'schema' | 'example', Record<string, unknown>>
  >;
  const schema = inline(schemas, output) as Schema;
  const example = exampleOf(schemas, output) as Schema;
  const isFull = detail === 'full';
  // The type lacks the method, which the package's own server adds.
  const declaration = {
    ...(post ? ({ method: 'POST', bodyType: 'json' } as const) : ({ method: 'GET' } as const)),
    input,
    inputSchema: inline(schemas, inputSchema) as Record<string, unknown>,
    output: {
      example: isFull ? example : withoutNested(example),
      schema: isFull ? schema : outline(schema),
    },
  };
  return {
    extensions: { ...declareDiscoveryExtension(declaration) },
    outputSchema: {
      input: {
        type: 'http',
        method: declaration.method,
        discoverable: true,
        ...(post ? { bodyType: 'json', bodyFields: input } : { queryParams: input }),
      },
      output: declaration.output.example,
    },
  };
}
