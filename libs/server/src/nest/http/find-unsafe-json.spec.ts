import { findUnsafeJson } from './find-unsafe-json.js';

describe('findUnsafeJson', () => {
  it('default: ordinary JSON is safe', () => {
    expect(findUnsafeJson({ a: [1, { b: null }], c: 'constructor' })).toBeUndefined();
  });

  it.each(['__proto__', 'constructor', 'prototype', 'hasOwnProperty', 'toString', 'valueOf'])(
    'behavior: finds %s with its path',
    (name) => {
      const json: unknown = JSON.parse(`{"a":[{"${name}":1}]}`);
      expect(findUnsafeJson(json)).toEqual({ field: `a[0].${name}`, message: 'is not an allowed property' });
    },
  );

  it('behavior: refuses deep nesting without using the stack', () => {
    const deep: unknown = JSON.parse('['.repeat(50_000) + ']'.repeat(50_000));
    expect(findUnsafeJson(deep)).toEqual({ field: 'body', message: 'must nest at most 64 levels' });
  });
});
