const prefix = '#/components/schemas/';
// What says something about a value; the rest is documentation.
const keywords = new Set(['type', 'enum', 'pattern', 'required', 'items', 'minimum', 'minItems', 'allOf']);
// For others than agents: the client does not call them.
const uncalled = new Set(['/.well-known/x402', '/health/ready']);

/**
 * JSON Schemas of the answers of every endpoint that the client calls, as TypeScript; a field that a later service adds
 * is let through.
 */
export function answersOf({ paths, components }) {
  const definitions = {};
  const answers = {};
  for (const [path, methods] of Object.entries(paths)) {
    if (uncalled.has(path)) continue;
    for (const [method, { responses }] of Object.entries(methods)) {
      const schema = responses[200].content['application/json']?.schema;
      if (schema) answers[`${method.toUpperCase()} ${path}`] = reduced(schema);
    }
  }
  const endpoints = Object.keys(answers).map((endpoint) => `'${endpoint}'`);
  return [
    `/** Method and path of what the client calls. */\nexport type Endpoint = ${endpoints.join(' | ')};`,
    `export const answers: Readonly<Record<Endpoint, object>> = ${JSON.stringify(answers)};`,
    `export const definitions = ${JSON.stringify(definitions)};`,
  ].join('\n\n');

  function reduced(schema) {
    if (Array.isArray(schema)) return schema.map(reduced);
    if (typeof schema !== 'object') return schema;
    if (schema.$ref) return { $ref: `#/$defs/${define(schema.$ref.slice(prefix.length))}` };
    const { oneOf, properties, additionalProperties } = schema;
    const kept = Object.entries(schema).filter(([keyword]) => keywords.has(keyword));
    return {
      ...Object.fromEntries(kept.map(([keyword, value]) => [keyword, reduced(value)])),
      // Without what may not be added, an answer may fit several.
      ...(oneOf && { anyOf: reduced(oneOf) }),
      ...(properties && { properties: mapped(properties) }),
      ...(typeof additionalProperties === 'object' && {
        additionalProperties: reduced(additionalProperties),
      }),
    };
  }

  function mapped(schemas) {
    return Object.fromEntries(Object.entries(schemas).map(([key, schema]) => [key, reduced(schema)]));
  }

  function define(name) {
    if (!(name in definitions)) {
      definitions[name] = {};
      definitions[name] = reduced(components.schemas[name]);
    }
    return name;
  }
}
