import { findExceededJsonLimit } from './json-limits.js';

const check = (json: string, maximumValues = 2_000) =>
  findExceededJsonLimit(Buffer.from(json), maximumValues);

/** Number of values, and whether the check counts as many. */
const accepts = (json: string, values: number) =>
  check(json, values) === undefined && (values === 0 || check(json, values - 1) !== undefined);

describe('findExceededJsonLimit', () => {
  it.each([
    ['{}', 1],
    ['[ ]', 1],
    ['{"a":1}', 2],
    ['{"a":[],"b":{ }}', 3],
    ['{"a":[1,2,[null]],"b":"x"}', 7],
    ['{"a":"[{,\\"[,","b":"\\\\"}', 3],
    [' {"a" : [ [ ] , [ ] ] } ', 4],
    ['{"a":1,"a":2,"a":3}', 4],
  ])('default: %s has %i values', (json, values) => {
    expect(accepts(json, values)).toBe(true);
  });

  it('behavior: 32 levels pass, 33 do not', () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    expect(check(nested(32))).toBeUndefined();
    expect(check(nested(33))).toBe('must nest at most 32 levels');
  });

  it.each(['"', '{"a":"\\', ']]]]', '{,,,'])('behavior: malformed text is no failure: %s', (json) => {
    expect(check(json)).toBeUndefined();
  });

  it.each([
    ['wide', `{${Array.from({ length: 2_001 }, (_, index) => `"k${index}":1`).join()}}`],
    ['long', `[${'1,'.repeat(2_000)}1]`],
    ['repeated keys', `{${'"a":1,'.repeat(2_000)}"a":1}`],
    ['empty objects', `[${'{},'.repeat(2_000)}{}]`],
  ])('error: more than 2000 values: %s', (_name, json) => {
    expect(check(json)).toBe('must have at most 2000 JSON values');
  });
});
