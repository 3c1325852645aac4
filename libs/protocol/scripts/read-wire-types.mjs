// Reads the types in src/wire: what each type and field allows, and its comment.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

export const root = join(import.meta.dirname, '../../..');
export const source = join(root, 'libs/protocol/src');
const { SyntaxKind } = ts;

const declarations = new Map();
for (const file of [
  ...readdirSync(join(source, 'wire')).map((name) => `wire/${name}`),
  'errors/error-catalogue.ts',
]) {
  const path = join(source, file);
  ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true).forEachChild((node) => {
    const named = ts.isVariableStatement(node) ? node.declarationList.declarations[0] : node;
    if (named.name) declarations.set(named.name.text, named);
  });
}

/** Whether a declaration is an interface, or an alias that is written like one. */
const isObject = (node) => ts.isInterfaceDeclaration(node) || (node.type && ts.isTypeLiteralNode(node.type));

/** The description in the last comment before a node, and its tags. */
function docOf(node) {
  const text = node.getSourceFile().text;
  const ranges = ts.getLeadingCommentRanges(text, node.getFullStart()) ?? [];
  const comment = ranges.length > 0 ? text.slice(ranges.at(-1).pos + 3, ranges.at(-1).end - 2) : '';
  const [description, ...tags] = comment.replace(/\s*\n\s*\*?\s*/g, ' ').split(/ @(?=[a-z]+\b)/);
  const values = tags.map((tag) => [/^\w+/.exec(tag)[0], tag.replace(/^\w+\s*/, '').trim()]);
  return { description: description.trim(), ...Object.fromEntries(values) };
}

/** The value of a constant: of a list its items, of an object its keys. */
function constantOf(name) {
  let value = declarations.get(name).initializer;
  while (value.expression) value = value.expression;
  if (ts.isArrayLiteralExpression(value)) return value.elements.map(({ text }) => text);
  if (ts.isObjectLiteralExpression(value)) return value.properties.map(({ name: key }) => key.text);
  if (ts.isRegularExpressionLiteral(value)) return value.text.slice(1, -1);
  return [value.text];
}

export const leaves = {
  string: { type: 'string' },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  Integer: { type: 'integer' },
  ChainId: { type: 'integer' },
  UnixSeconds: { type: 'integer' },
  Timestamp: { type: 'string', format: 'date-time' },
  Address: { type: 'string', pattern: constantOf('addressPattern') },
  PlainAddress: { type: 'string', pattern: constantOf('addressPattern') },
  Hash32: { type: 'string', pattern: constantOf('hash32Pattern') },
  Hex: { type: 'string', pattern: constantOf('hexPattern') },
  Digits: { type: 'string', pattern: constantOf('digitsPattern') },
  Decimal: { type: 'string', pattern: constantOf('signedDecimalPattern') },
};
const anyType = ['Json', 'unknown'];

/** What a type allows: `leaf`, `words`, `items`, `values`, `ref`, `members`, or `isNull`; nothing for any value. */
export function shapeOf(node) {
  if (ts.isParenthesizedTypeNode(node)) return shapeOf(node.type);
  if (ts.isArrayTypeNode(node)) return { items: shapeOf(node.elementType) };
  if (ts.isTypeOperatorNode(node))
    return node.operator === SyntaxKind.KeyOfKeyword
      ? { words: constantOf(node.type.exprName.text) }
      : shapeOf(node.type);
  if (ts.isIndexedAccessTypeNode(node)) return { words: constantOf(node.objectType.type.exprName.text) };
  if (ts.isTypeQueryNode(node)) return { words: constantOf(node.exprName.text) };
  if (ts.isLiteralTypeNode(node)) {
    if (node.literal.kind === SyntaxKind.NullKeyword) return { isNull: true };
    return { words: [ts.isStringLiteral(node.literal) ? node.literal.text : JSON.parse(node.getText())] };
  }
  if (ts.isUnionTypeNode(node)) {
    const members = node.types.map(shapeOf);
    const words = members.filter((member) => member.words).flatMap((member) => member.words);
    const others = members.filter((member) => !member.words);
    if (others.length === 0) return { words };
    return { members: words.length > 0 ? [{ words }, ...others] : others };
  }
  const name = node.getText().replace(/<[\s\S]*/, '');
  if (anyType.includes(name)) return {};
  if (name === 'Readonly') return shapeOf(node.typeArguments[0]);
  if (name === 'Record') return { values: shapeOf(node.typeArguments[1]) };
  if (leaves[name]) return { leaf: name };
  const declared = declarations.get(name);
  if (!declared) throw new Error(`${name} is no type of the wire`);
  return isObject(declared) ? { ref: name } : shapeOf(declared.type);
}

/** The fields of an object by name, with the inherited ones. */
export function fieldsOf(name) {
  const fields = new Map();
  const { heritageClauses, members, type } = declarations.get(name);
  for (const { expression, typeArguments } of heritageClauses?.flatMap(({ types }) => types) ?? []) {
    const isOmit = expression.text === 'Omit';
    const inherited = fieldsOf(isOmit ? typeArguments[0].typeName.text : expression.text);
    const omitted = isOmit ? shapeOf(typeArguments[1]).words : [];
    for (const [field, value] of inherited) if (!omitted.includes(field)) fields.set(field, value);
  }
  for (const member of members ?? type.members) {
    const isRequired = member.questionToken === undefined;
    fields.set(member.name.text, { isRequired, doc: docOf(member), shape: shapeOf(member.type) });
  }
  return fields;
}

export const objects = [...declarations.keys()].filter((name) => isObject(declarations.get(name)));
export const docs = Object.fromEntries(objects.map((name) => [name, docOf(declarations.get(name))]));
export const isRequest = (name) => name.endsWith('Request') || docs[name].request !== undefined;
export const responses = objects.filter((name) => !isRequest(name) && docs[name].local === undefined);
export const schemaName = (name) => docs[name].schema ?? name;
