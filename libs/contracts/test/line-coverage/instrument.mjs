// Adds markers to a Solidity source. A marker compares the remaining gas with its id, so a trace shows the id on the stack.

/** The id of a marker: no other value of a trace looks like it. */
export const markerOf = (point) => (0xc0ffee00n << 64n) + BigInt(point);

const functions = `
function _markView(uint256 id) view { assembly ("memory-safe") { if eq(gas(), id) { invalid() } } }
function _mark(uint256 id) pure {
    function(uint256) view marker = _markView;
    function(uint256) pure asPure;
    assembly ("memory-safe") { asPure := marker }
    asPure(id);
}
function _branch(bool taken, uint256 id) pure returns (bool) { _mark(taken ? id : id + 1); return taken; }
`;

/**
 * Mark each function, statement, operand of a condition and outcome of a try.
 *
 * @param points Of all files; what is marked in this one is appended, and its place there makes the id.
 * @returns The marked source.
 */
export function instrument(file, source, ast, points) {
  const bytes = Buffer.from(source);
  const inserts = [];
  const seen = new Set();
  const startOf = (node) => Number(node.src.split(':')[0]);
  const endOf = (node) => startOf(node) + Number(node.src.split(':')[1]);
  const insert = (at, text, order = inserts.length) => inserts.push({ at, text, order });
  /** @returns its id */
  const point = (node, branch) => {
    const line = bytes.subarray(0, startOf(node)).toString().split('\n').length;
    return markerOf(points.push({ file, line, branch }) - 1);
  };
  const mark = (at, node, branch) => insert(at, ` _mark(${point(node, branch)}); `);

  const condition = (node) => {
    if (node.nodeType === 'TupleExpression') return condition(node.components[0]);
    if (node.operator === '&&' || node.operator === '||') {
      return [node.leftExpression, node.rightExpression].forEach(condition);
    }
    if (seen.has(node)) return;
    seen.add(node);
    const text = bytes.subarray(startOf(node), endOf(node)).toString();
    insert(startOf(node), '_branch(');
    insert(endOf(node), `, ${point(node, `${text} is true`)})`, -inserts.length);
    point(node, `${text} is false`);
  };

  const visit = (node) => {
    if (node === null || typeof node !== 'object' || node.nodeType?.startsWith('Yul')) return;
    if (node.nodeType === 'FunctionDefinition' && node.body) mark(startOf(node.body) + 1, node);
    if (node.nodeType === 'TryCatchClause') mark(startOf(node.block) + 1, node, 'outcome of try');
    for (const statement of node.statements ?? []) mark(startOf(statement), statement);
    if (node.condition) condition(node.condition);
    if (node.operator === '&&' || node.operator === '||') condition(node);
    Object.values(node).forEach(visit);
  };
  visit(ast);

  inserts.sort((a, b) => a.at - b.at || a.order - b.order);
  const text = inserts.map(
    ({ at, text }, i) => bytes.subarray(inserts[i - 1]?.at ?? 0, at).toString() + text,
  );
  return text.join('') + bytes.subarray(inserts.at(-1)?.at ?? 0).toString() + functions;
}
