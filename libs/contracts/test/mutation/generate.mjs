import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import solc from 'solc';

const require = createRequire(import.meta.url);
const root = join(import.meta.dirname, '../..');

export const sources = [
  'src/account/YieldVaultAccount.sol',
  'src/modules/IntentValidator.sol',
  'src/modules/YieldExecutor.sol',
  'src/paymaster/PaymasterTerms.sol',
  'src/paymaster/UsdcPaymaster.sol',
  'src/router/YieldRouter.sol',
];

/** What may stand in place of an operator. */
const operators = {
  arithmetic: {
    '+': '-',
    '-': '+',
    '*': '/',
    '/': '*',
    '%': '*',
    '<<': '>>',
    '>>': '<<',
    '|': '&',
    '&': '|',
  },
  assignment: { '+=': '-=', '-=': '+=', '^=': '|=' },
  boundary: { '<': '<=', '<=': '<', '>': '>=', '>=': '>' },
  comparison: { '==': '!=', '!=': '==', '<': '>', '>': '<' },
  logic: { '&&': '||', '||': '&&' },
};
const deleted = new Set(['ExpressionStatement', 'EmitStatement', 'RevertStatement']);

/**
 * Every mutant of the sources, one operator or statement each, in the order of the code.
 *
 * @returns `{ key, kind, file, start, end, text }`: `text` replaces the bytes from `start` to `end`.
 */
export function generateMutants() {
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(
      sources.map((file) => [file, { content: readFileSync(join(root, file), 'utf8') }]),
    ),
    settings: { evmVersion: 'prague', outputSelection: { '*': { '': ['ast'] } } },
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: readImport }));
  return sources.flatMap((file) => mutantsOf(file, output.sources[file].ast));
}

function mutantsOf(file, ast) {
  const bytes = readFileSync(join(root, file));
  const mutants = [];
  const placeOf = ({ src }) => {
    const [start, length] = src.split(':').map(Number);
    return [start, start + length];
  };
  const textOf = (start, end) => bytes.subarray(start, end).toString();

  /** The key names function and line, so that it outlives changes elsewhere. */
  function add(kind, start, end, text, functionName) {
    const from = bytes.lastIndexOf('\n', start) + 1;
    const to = bytes.indexOf('\n', end);
    const line = `${textOf(from, start)}⟦${textOf(start, end)} → ${text}⟧${textOf(end, to)}`
      .replace(/\s+/g, ' ')
      .trim();
    mutants.push({ key: `${file} ${functionName}: ${line}`, kind, file, start, end, text });
  }

  function addOperators(node, left, right, name) {
    const [, start] = placeOf(left);
    const [end] = placeOf(right);
    for (const [kind, table] of Object.entries(operators)) {
      const text = table[node.operator];
      if (!text) continue;
      const place = start + textOf(start, end).indexOf(node.operator);
      add(kind, place, place + node.operator.length, text, name);
    }
  }

  function visit(node, name) {
    if (node === null || typeof node !== 'object') return;
    if (Array.isArray(node)) return node.forEach((one) => visit(one, name));
    const { nodeType } = node;
    if (nodeType === 'InlineAssembly') return;
    if (nodeType === 'BinaryOperation') addOperators(node, node.leftExpression, node.rightExpression, name);
    if (nodeType === 'Assignment') addOperators(node, node.leftHandSide, node.rightHandSide, name);
    if (nodeType === 'IfStatement' || nodeType === 'Conditional') {
      const [start, end] = placeOf(node.condition);
      add('condition', start, end, `!(${textOf(start, end)})`, name);
    }
    if (deleted.has(nodeType)) {
      const [start, end] = placeOf(node);
      add('deletion', start, end + 1, '{}', name);
    }
    for (const [key, child] of Object.entries(node)) if (key !== 'documentation') visit(child, name);
  }

  function visitFunction(node) {
    const name = node.name || node.kind;
    // The arguments of a base contract are no modifier.
    for (const modifier of node.kind === 'constructor' ? [] : node.modifiers) {
      add('deletion', ...placeOf(modifier), '', name);
    }
    visit(node.body, name);
  }

  const ofType = (nodes, type) => nodes.filter(({ nodeType }) => nodeType === type);
  for (const { nodes } of ofType(ast.nodes, 'ContractDefinition')) {
    ofType(nodes, 'FunctionDefinition').forEach(visitFunction);
  }
  return mutants;
}

function readImport(path) {
  if (existsSync(join(root, path))) return { contents: readFileSync(join(root, path), 'utf8') };
  return { contents: readFileSync(require.resolve(path), 'utf8') };
}
