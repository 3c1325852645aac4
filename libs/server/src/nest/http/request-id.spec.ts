import { requestIdOf } from './request-id.js';

describe('requestIdOf', () => {
  it('default: repeats a safe id', () => {
    expect(requestIdOf({ headers: { 'x-request-id': 'a-b_c.d:1' } })).toBe('a-b_c.d:1');
  });

  it.each([undefined, '', 'a b', 'a\nb', 'x'.repeat(129)])('behavior: makes one instead of %p', (given) => {
    const made = requestIdOf({ headers: given === undefined ? {} : { 'x-request-id': given } });
    expect(made).toMatch(/^[0-9a-f]{8}-/);
  });
});
