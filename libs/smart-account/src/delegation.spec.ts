import type { Hex } from 'viem';
import { delegationCode, parseDelegation } from './delegation.js';

const implementation = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';

describe('delegation', () => {
  it('default', () => {
    expect(delegationCode(implementation)).toBe(`0xef0100${implementation.slice(2).toLowerCase()}`);
    expect(parseDelegation(delegationCode(implementation))).toBe(implementation);
  });

  it.each<[string, Hex]>([
    ['no code', '0x'],
    ['ordinary code', '0x6080604052'],
    ['another version', `0xef0101${implementation.slice(2)}` as Hex],
    ['a byte too many', `${delegationCode(implementation)}00`],
    ['a byte too few', delegationCode(implementation).slice(0, -2) as Hex],
  ])('behavior: not %s', (_, code) => {
    expect(parseDelegation(code)).toBeUndefined();
  });
});
