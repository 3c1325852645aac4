import { findResumable } from './find-resumable.js';
import type { Vnet } from './vnet.js';
import { createVnetNames } from './vnet-names.js';

const names = createVnetNames('staging');
const vnet = (chain: string, id: string, more: Partial<Vnet> & { kind?: 'ephemeral' } = {}): Vnet => {
  const { kind = 'persistent', ...fields } = more;
  return { id, slug: names.slugOf({ kind, chain, id }), forkBlock: 1n, status: 'running', ...fields };
};

describe('findResumable', () => {
  it('default: of each chain the newest persistent fork', () => {
    const vnets = [
      vnet('base', 'b1', { createdAt: 1 }),
      vnet('base', 'b3', { createdAt: 3 }),
      vnet('base', 'b2', { createdAt: 2 }),
      vnet('ethereum', 'e1'),
    ];
    const found = [...findResumable(vnets, names)].map(([chain, { id }]) => [chain, id]);
    expect(found).toEqual([
      ['base', 'b3'],
      ['ethereum', 'e1'],
    ]);
  });

  it.each([
    ['an ephemeral one', vnet('base', 'b1', { kind: 'ephemeral' })],
    ['one that does not run', vnet('base', 'b1', { status: 'stopped' })],
    ['one whose block is not known', { id: 'b1', slug: vnet('base', 'b1').slug }],
    ['one of another deployment', { ...vnet('base', 'b1'), slug: 'yield-vault-other-persistent-base-b1' }],
  ])('behavior: not %s', (_, left) => {
    expect(findResumable([left], names).size).toBe(0);
  });
});
