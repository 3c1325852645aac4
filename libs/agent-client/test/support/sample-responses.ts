import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Endpoint } from '../../src/http/response-shapes.js';

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly example?: unknown;
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
}

interface Document {
  readonly components: { readonly schemas: Record<string, Schema> };
  readonly paths: Record<string, Record<string, { readonly responses: Record<200, Content> }>>;
}

interface Content {
  readonly content: { readonly 'application/json': { readonly schema: Schema } };
}

const file = join(__dirname, '../../../../docs/openapi.json');
const { components, paths } = JSON.parse(readFileSync(file, 'utf8')) as Document;

/** Responses of an endpoint, one of each kind, built from the examples in the OpenAPI document. */
export function sampleResponses(endpoint: Endpoint): unknown[] {
  const [method, path] = endpoint.split(' ') as [string, string];
  const { schema } = paths[path]![method.toLowerCase()]!.responses[200].content['application/json'];
  return (schema.oneOf ?? [schema]).map(exampleOf);
}

function exampleOf(schema: Schema): unknown {
  if (schema.$ref) return exampleOf(components.schemas[schema.$ref.split('/').at(-1)!]!);
  if (schema.example !== undefined) return schema.example;
  if (schema.type === 'null') return null;
  const [first] = schema.allOf ?? schema.oneOf ?? [];
  if (first) return exampleOf(first);
  if (schema.items) return [exampleOf(schema.items)];
  if (typeof schema.additionalProperties === 'object')
    return { base: exampleOf(schema.additionalProperties) };
  const properties = Object.entries(schema.properties ?? {});
  return Object.fromEntries(properties.map(([key, property]) => [key, exampleOf(property)]));
}
