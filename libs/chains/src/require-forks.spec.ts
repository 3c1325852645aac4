import { ForksNotConfiguredError } from '@yield-vault/protocol';
import { requireForks } from './require-forks.js';

const managed = { key: 'base', relayMode: 'managed-fork' } as const;
const plain = { key: 'ethereum', relayMode: 'chain' } as const;

describe('requireForks', () => {
  it('default: with forks, every chain passes', () => {
    expect(() => requireForks([plain, managed], true)).not.toThrow();
  });

  it.each([[[managed]], [[plain, managed]]])('error: ForksNotConfiguredError for %o', (chains) => {
    expect(() => requireForks(chains, false)).toThrow(ForksNotConfiguredError);
    expect(() => requireForks(chains, false)).toThrow(
      expect.objectContaining({ details: { chain: 'base' } }),
    );
  });

  it.each([[[plain]], [[]]])('behavior: without forks, %o passes', (chains) => {
    expect(() => requireForks(chains, false)).not.toThrow();
  });
});
