import { exampleOf } from './example-of.js';

const schemas = {
  Inner: { type: 'object', required: ['n'], properties: { n: { type: 'number', example: 1 } } },
};

describe('exampleOf', () => {
  it('default: collects the examples of fields through references, lists and choices', () => {
    const schema = {
      type: 'object',
      required: ['a', 'b', 'c', 'd', 'e'],
      properties: {
        a: { type: 'string', example: 'x' },
        b: { allOf: [{ $ref: '#/components/schemas/Inner' }] },
        c: { type: 'array', items: { $ref: '#/components/schemas/Inner' } },
        d: { oneOf: [{ $ref: '#/components/schemas/Inner' }, { type: 'null' }] },
        e: { type: 'null' },
        f: { type: 'string' },
        g: { type: 'string', example: 'y' },
      },
    };
    expect(exampleOf(schemas, schema)).toEqual({
      a: 'x',
      b: { n: 1 },
      c: [{ n: 1 }],
      d: { n: 1 },
      e: null,
      g: 'y',
    });
  });
});
