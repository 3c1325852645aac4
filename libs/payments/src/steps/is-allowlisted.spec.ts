import { isAllowlisted } from './is-allowlisted.js';

describe('isAllowlisted', () => {
  it.each([
    ['a key of the list', 'key-2', ['key-1', 'key-2'], true],
    ['another key', 'key-3', ['key-1', 'key-2'], false],
    ['a part of a key', 'key', ['key-1'], false],
    ['no key', undefined, ['key-1'], false],
    ['an empty list', 'key-1', [], false],
    ['an empty key', '', ['key-1'], false],
  ])('behavior: %s', (_, presented, list, expected) => {
    expect(isAllowlisted(presented, list)).toBe(expected);
  });
});
