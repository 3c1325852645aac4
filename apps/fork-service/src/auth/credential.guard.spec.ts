import { sameSecret } from './credential.guard.js';

describe('sameSecret', () => {
  it('default: only the very same text', () => {
    expect(sameSecret('secret', 'secret')).toBe(true);
    for (const other of ['', 'Secret', 'secret ', 'secre', 'secrets']) {
      expect(sameSecret(other, 'secret')).toBe(false);
    }
  });
});
