import { NotFoundError } from '@yield-vault/protocol';
import { createForkIds } from './create-fork-registry.js';

describe('createForkIds', () => {
  it('default: a single instance uses the ids of its forks', () => {
    const ids = createForkIds(undefined);
    expect(ids.toPublic('base-1')).toBe('base-1');
    expect(ids.toOwn('base-1')).toBe('base-1');
  });

  it('behavior: a named instance leads its ids', () => {
    const ids = createForkIds('east');
    expect(ids.toPublic('base-1')).toBe('east.base-1');
    expect(ids.toOwn('east.base-1')).toBe('base-1');
  });

  it.each(['base-1', 'west.base-1', 'eastbase-1', 'eas', ''])('error: NotFoundError for %j', (id) => {
    expect(() => createForkIds('east').toOwn(id)).toThrow(NotFoundError);
  });
});
