import { ValidationCache } from './validation-cache.js';

class Dto {}
class OtherDto {}

function create() {
  const cache = new ValidationCache();
  let made = 0;
  const take = (input: object, dto: new () => object = Dto) =>
    cache.take(dto, input, () => {
      made++;
      return { ...input };
    });
  return { take, made: () => made };
}

describe('ValidationCache', () => {
  it('default: makes the same of equal inputs once, frozen', () => {
    const { take, made } = create();
    const first = take({ chain: 'base', limit: 5, listed: true });
    expect(take({ chain: 'base', limit: 5, listed: true })).toBe(first);
    expect(made()).toBe(1);
    expect(Object.isFrozen(first)).toBe(true);
  });

  it.each([
    ['another value', { limit: 6 }],
    ['a value of another type', { limit: '5' }],
    ['another name', { Limit: 5 }],
    ['a name more', { limit: 5, chain: 'base' }],
    ['a name of a prototype', JSON.parse('{"limit":5,"__proto__":5}') as object],
    ['nothing', {}],
  ])('behavior: %s is made of its own', (_name, input) => {
    const { take, made } = create();
    take({ limit: 5 });
    expect(take(input)).toEqual({ ...input });
    expect(made()).toBe(2);
  });

  it('behavior: the same input of another class is made of its own', () => {
    const { take, made } = create();
    take({ limit: 5 });
    take({ limit: 5 }, OtherDto);
    expect(made()).toBe(2);
  });

  it.each([
    ['null', { minApy: null }],
    ['infinity', { minApy: Infinity }],
    ['a negative zero', { minApy: -0 }],
    ['a list', { chain: ['base'] }],
    ['an object', { chain: {} }],
    ['undefined', { chain: undefined }],
    ['a long text', { chain: 'x'.repeat(600) }],
  ])('behavior: %s is never cached', (_name, input) => {
    const { take, made } = create();
    take(input);
    take(input);
    expect(made()).toBe(2);
  });

  it('error: a refused input is not cached', () => {
    const cache = new ValidationCache();
    const refuse = () => {
      throw new RangeError('refused');
    };
    expect(() => cache.take(Dto, { limit: 50 }, refuse)).toThrow(RangeError);
    expect(cache.take(Dto, { limit: 50 }, () => ({ limit: 50 }))).toEqual({ limit: 50 });
  });
});
