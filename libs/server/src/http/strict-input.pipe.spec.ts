import { StrictInputPipe } from './strict-input.pipe.js';

describe('StrictInputPipe', () => {
  const pipe = new StrictInputPipe();

  it.each(['body', 'query'] as const)('error: a single value of the %s, which no DTO describes', (type) => {
    expect(() => pipe.transform('1', { type, metatype: String, data: 'limit' })).toThrow(TypeError);
  });

  it('behavior: a single path parameter and a custom value pass', () => {
    expect(pipe.transform('1', { type: 'param', metatype: String, data: 'id' })).toBe('1');
    expect(pipe.transform('1', { type: 'custom', metatype: String, data: undefined })).toBe('1');
  });
});
