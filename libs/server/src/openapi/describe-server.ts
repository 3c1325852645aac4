import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import type { ErrorCode } from '@yield-vault/protocol';
import { wireSchemas } from '../generated/wire-schemas.js';
import { exampleOf } from './example-of.js';
import type { WireSchema } from './wire-schema.js';

const contact = {
  name: 'Yield Vault Service',
  url: 'https://github.com/yield-vault/yield-vault-service',
};

export interface ServerDescription {
  readonly title: string;
  readonly description: string;
  readonly version: string;
  readonly tags: readonly (readonly [name: string, description: string])[];
  /** Schemas that take further properties. */
  readonly openSchemas?: readonly string[];
  /** Values of the examples in wire schemas that have the form `{name}`. */
  readonly examples?: Readonly<Record<string, string>>;
  /** Whether a path has a rate limit. */
  readonly isLimited?: (path: string) => boolean;
  /** Description of the bearer credential that some routes require (`@ApiBearerAuth()`). */
  readonly bearer?: string;
}

type Schema = Record<string, unknown> & { properties?: Record<string, Schema>; enum?: readonly string[] };

/** Add the wire schemas that the document refers to. */
function addWireSchemas(document: OpenAPIObject, examples: Readonly<Record<string, string>>): void {
  const added: Record<string, object> = { ...document.components?.schemas };
  const addNamed = (part: unknown) => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (name in added || !(name in wireSchemas)) continue;
      const schema = JSON.stringify(wireSchemas[name as WireSchema]);
      added[name] = JSON.parse(
        schema.replace(/"\{(\w+)\}"/g, (text, key: string) =>
          examples[key] ? JSON.stringify(examples[key]) : text,
        ),
      ) as object;
      addNamed(added[name]);
    }
  };
  addNamed(document);
  document.components = { ...document.components, schemas: added };
}

function closeSchemas(schemas: Record<string, Schema>, open: readonly string[]): void {
  for (const [name, schema] of Object.entries(schemas)) {
    if (schema['type'] !== 'object') continue;
    schema['additionalProperties'] = open.includes(name);
    for (const property of Object.values(schema.properties ?? {})) {
      // NestJS describes a property of any shape as "object".
      if (property['x-any'] === true) {
        delete property['x-any'];
        delete property['type'];
      }
    }
  }
}

/** A server without credentials never sends UNAUTHORIZED. */
function dropUnauthorized({ Error: error }: Record<string, Schema>): void {
  const code = error?.properties?.['code'];
  if (code) code.enum = code.enum?.filter((one) => one !== ('UNAUTHORIZED' satisfies ErrorCode));
}

const header = (text: string, type: 'string' | 'integer') => ({ description: text, schema: { type } });
const requestIdHeaders = { 'X-Request-Id': header('Id of the request, echoed or made.', 'string') };
const limitHeaders = {
  'RateLimit-Limit': header('Requests allowed in a minute.', 'integer'),
  'RateLimit-Remaining': header('Requests left in this window.', 'integer'),
  'RateLimit-Reset': header('Seconds until the window ends.', 'integer'),
};
const retryHeaders = { 'Retry-After': header('Seconds to wait before the same call.', 'integer') };

const termsHeaders = {
  'PAYMENT-REQUIRED': header('What to pay, as x402 v2 writes it, in base64.', 'string'),
};
const receiptHeaders = {
  'PAYMENT-RESPONSE': header('The receipt of a payment in PAYMENT-SIGNATURE, in base64.', 'string'),
  'X-PAYMENT-RESPONSE': header('The receipt of a payment in X-PAYMENT, in base64.', 'string'),
};

/** Headers of a response. Every response has X-Request-Id; the document shows it once for each route. */
function headersOf(status: string, limited: boolean, priced: boolean) {
  const isSuccess = status.startsWith('2');
  return {
    ...(isSuccess && requestIdHeaders),
    ...(limited && (isSuccess || status === '429') && limitHeaders),
    ...(priced && isSuccess && receiptHeaders),
    ...(status === '402' && termsHeaders),
    ...((status === '429' || status === '503') && retryHeaders),
  };
}

function addHeaders(document: OpenAPIObject, isLimited: (path: string) => boolean): void {
  for (const [path, item] of Object.entries(document.paths)) {
    for (const operation of [item.get, item.post, item.delete]) {
      const responses = operation?.responses ?? {};
      for (const [status, response] of Object.entries(responses)) {
        if (response === undefined || '$ref' in response) continue;
        response.headers = headersOf(status, isLimited(path), '402' in responses);
      }
    }
  }
}

/** Swagger UI shows only the first variant of a response, and invents values that the server rejects, unless there are examples. */
function addExamples({ components, paths }: OpenAPIObject): void {
  const schemas = components?.schemas ?? {};
  for (const { post } of Object.values(paths)) {
    const response = post?.responses['200'];
    const result = response && 'content' in response ? response.content?.['application/json'] : undefined;
    if (result?.schema && 'oneOf' in result.schema) {
      const variants = (result.schema.oneOf ?? []).map((variant) => {
        const name = '$ref' in variant ? variant.$ref.replace('#/components/schemas/', '') : '';
        const { description: summary } = (schemas[name] ?? {}) as { description?: string };
        return [name, { summary, value: exampleOf(schemas, variant) }] as const;
      });
      result.examples = Object.fromEntries(variants);
    }
    const body = post?.requestBody;
    const content = body && 'content' in body ? body.content['application/json'] : undefined;
    if (content?.schema && !content.examples) content.example = exampleOf(schemas, content.schema);
  }
}

/** Describe a server in OpenAPI 3.1 by its routes; needs nothing behind them. */
export function describeServer(
  app: INestApplication,
  {
    title,
    description,
    version,
    tags,
    openSchemas = [],
    examples = {},
    isLimited = () => false,
    bearer,
  }: ServerDescription,
): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setTitle(title)
    .setDescription(description)
    .setVersion(version)
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .setOpenAPIVersion('3.1.0');
  for (const [name, text] of tags) builder.addTag(name, text);
  if (bearer !== undefined) builder.addBearerAuth({ type: 'http', scheme: 'bearer', description: bearer });
  const document = SwaggerModule.createDocument(app, builder.build(), {
    operationIdFactory: (_controller, method) => method,
  });
  closeSchemas((document.components?.schemas ?? {}) as Record<string, Schema>, openSchemas);
  addWireSchemas(document, examples);
  const schemas = (document.components?.schemas ?? {}) as Record<string, Schema>;
  if (bearer === undefined) dropUnauthorized(schemas);
  addHeaders(document, isLimited);
  addExamples(document);
  return { ...document, info: { ...document.info, contact }, security: [] };
}
