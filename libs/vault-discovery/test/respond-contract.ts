import { concat, type Hex, keccak256, numberToHex, size } from 'viem';

/** Responds to some call data, e.g. `{ [selector]: data }`. `burn` uses up the gas. */
export type Responses = Readonly<Record<Hex, Hex>> | 'burn';

const push4 = (value: number): Hex => concat(['0x63', numberToHex(value, { size: 4 })]);

/** Bytecode of a contract that responds from a table, to any other call with a revert or with seven words of zero. */
export function respondContract(responses: Responses, others: 'revert' | 'zero' = 'revert'): Hex {
  if (responses === 'burn') return '0x5b600056';
  const entries = Object.entries(responses) as [Hex, Hex][];
  // Copy the call data to 0, and push its hash.
  const head: Hex = '0x36600060003736600020';
  const caseSize = 1 + 33 + 1 + 5 + 1;
  const bodySize = 1 + 5 + 5 + 2 + 1 + 5 + 2 + 1;
  const end: Hex = others === 'zero' ? '0x60e0611000f3' : '0x60006000fd';
  const bodiesAt = size(head) + entries.length * caseSize + size(end);
  let dataAt = bodiesAt + entries.length * bodySize;
  const bodies = entries.map(([, data]) => {
    const length = push4(size(data));
    const body = concat(['0x5b', length, push4(dataAt), '0x600039', length, '0x6000f3']);
    dataAt += size(data);
    return body;
  });
  const cases = entries.map(([callData], index) =>
    concat(['0x80', '0x7f', keccak256(callData), '0x14', push4(bodiesAt + index * bodySize), '0x57']),
  );
  return concat([head, ...cases, end, ...bodies, ...entries.map(([, data]) => data)]);
}
