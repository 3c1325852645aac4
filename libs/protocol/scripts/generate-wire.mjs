// Writes what follows from the types in src/wire: the OpenAPI schemas of responses, and the checks of agent-client.
//
//   node scripts/generate-wire.mjs          write the files
//   node scripts/generate-wire.mjs --list   only list the files that would change
//
// The comment of a type or a field is its description. Its tags:
//   @example   an example; {name} is filled in by the server
//   @schema    name of the schema, where the type has another one
//   @request   described by a DTO of the server
//   @local     of the libraries alone, not a schema of its own
//   @verified  agent-client verifies the document before signing, and refuses unknown fields
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  docs,
  fieldsOf,
  isRequest,
  leaves,
  objects,
  responses,
  root,
  schemaName,
  source,
} from './read-wire-types.mjs';

function exampleOf({ leaf, words, members }, text) {
  if (/^\{\w+\}$/.test(text)) return text;
  if (members) {
    const isNumber =
      !Number.isNaN(Number(text)) && members.some((member) => leaves[member.leaf]?.type !== 'string');
    return text === 'null' || isNumber ? JSON.parse(text) : exampleOf(members[0], text);
  }
  return words || leaves[leaf]?.type === 'string' ? text : JSON.parse(text);
}

/** The OpenAPI schema of a field. A member of a union, or a value of a record, shows no pattern. */
function schemaOf({ leaf, words, items, values, ref, members, isNull }) {
  const plain = (shape) => {
    const { pattern: _, ...schema } = schemaOf(shape);
    return schema;
  };
  if (leaf) return leaves[leaf];
  if (words) return { type: typeof words[0], enum: words };
  if (isNull) return { type: 'null' };
  if (items) return { type: 'array', items: schemaOf(items) };
  if (members) return { oneOf: members.map(plain) };
  if (ref) return { $ref: `#/components/schemas/${schemaName(ref)}` };
  const any = values && Object.keys(values).length === 0;
  return values ? { type: 'object', additionalProperties: any ? true : plain(values) } : {};
}

function describeField({ doc, shape }) {
  const schema = schemaOf(shape);
  const constant = shape.words?.length === 1 ? { example: shape.words[0] } : {};
  const example = doc.example === undefined ? constant : { example: exampleOf(shape, doc.example) };
  return { ...(schema.$ref ? { allOf: [schema] } : schema), description: doc.description, ...example };
}

function describe(name) {
  const fields = [...fieldsOf(name)];
  return {
    type: 'object',
    description: docs[name].description,
    properties: Object.fromEntries(fields.map(([field, value]) => [field, describeField(value)])),
    required: fields.filter(([, { isRequired }]) => isRequired).map(([field]) => field),
    additionalProperties: false,
  };
}

const variable = (name) => name[0].toLowerCase() + name.slice(1);

/** How the checks of responses are written, and those of documents to sign. */
const loose = {
  object: 'looseObject',
  words: ([word]) => (typeof word === 'boolean' ? `z.literal(${word})` : `value.${typeof word}`),
  ref: (name) =>
    isRequest(name) || docs[name].verified !== undefined ? 'z.looseObject({})' : variable(name),
};
const strict = {
  object: 'strictObject',
  words: (words) =>
    words.length === 1 ? `z.literal(${JSON.stringify(words[0])})` : `z.enum(${JSON.stringify(words)})`,
  ref: variable,
};

function checkOf(style, { leaf, words, items, values, ref, members, isNull }) {
  const check = (shape) => checkOf(style, shape);
  if (leaf) return `value.${variable(leaf)}`;
  if (words) return style.words(words);
  if (isNull) return 'z.null()';
  if (items) return `z.array(${check(items)})`;
  if (members) {
    const others = members.filter((member) => !member.isNull);
    const union = others.map(check).reduce((left, right) => `${left}.or(${right})`);
    return others.length < members.length ? `${union}.nullable()` : union;
  }
  if (ref) return style.ref(ref);
  return values ? `z.record(z.string(), ${check(values)})` : 'z.unknown()';
}

const refsIn = ({ ref, items, values, members = [] }) => [
  ...(ref ? [ref] : []),
  ...[items, values, ...members].flatMap((shape) => (shape ? refsIn(shape) : [])),
];

/** The checks of types and of all that they contain, in an order in which each name is declared before its use. */
function checksOf(style, names, valuesFrom) {
  const written = new Map();
  const write = (name) => {
    if (written.has(name)) return;
    const fields = [...fieldsOf(name)];
    for (const ref of fields.flatMap(([, { shape }]) => refsIn(shape)))
      if (style.ref(ref) === variable(ref)) write(ref);
    const lines = fields.map(
      ([field, { shape, isRequired }]) =>
        `  ${field}: ${checkOf(style, shape)}${isRequired ? '' : '.optional()'},`,
    );
    written.set(name, `export const ${variable(name)} = z.${style.object}({\n${lines.join('\n')}\n});`);
  };
  names.forEach(write);
  const imports = `import * as z from 'zod';\nimport * as value from '${valuesFrom}';`;
  return `${[imports, ...written.values()].join('\n\n')}\n`;
}

/** The published type of each schema, so that a route can be checked against its schema. */
function typesOf(names) {
  const published = readFileSync(join(source, 'index.ts'), 'utf8').match(/\w+/g);
  const typed = names.filter((name) => published.includes(name));
  const lines = typed.map((name) => `  ${schemaName(name)}: ${name};`);
  return `import type { ${typed.join(', ')} } from '@yield-vault/protocol';\n\nexport interface WireTypes {\n${lines.join('\n')}\n}\n`;
}

const header =
  '// Generated by `npm run docs -w @yield-vault/api` from libs/protocol/src/wire. Do not edit.\n';
const schemas = Object.fromEntries(responses.map((name) => [schemaName(name), describe(name)]));
const verified = objects.filter((name) => docs[name].verified !== undefined);
const files = {
  'libs/server/src/generated/wire-schemas.ts': `export const wireSchemas = ${JSON.stringify(schemas, null, 2)};\n`,
  'libs/server/src/generated/wire-types.ts': typesOf(responses),
  'libs/agent-client/src/generated/response-shapes.ts': checksOf(
    loose,
    responses.filter((name) => docs[name].verified === undefined),
    '../http/loose-values.js',
  ),
  'libs/agent-client/src/generated/document-shapes.ts': checksOf(strict, verified, '../wire-values.js'),
};

const current = (path) => (existsSync(path) ? readFileSync(path, 'utf8') : '');
for (const [file, text] of Object.entries(files)) {
  const path = join(root, file);
  if (current(path) === header + text) continue;
  process.stdout.write(`${file}\n`);
  if (process.argv.includes('--list')) continue;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, header + text);
}
