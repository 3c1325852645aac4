import { Registry } from 'prom-client';
import { measureDiscovery, type MeasuredDiscovery } from './measure-discovery.js';

async function render(discovery: MeasuredDiscovery): Promise<string[]> {
  const registry = new Registry();
  measureDiscovery(discovery, registry, 'x_');
  return (await registry.metrics()).split('\n').filter((line) => line.startsWith('x_'));
}

const state = {
  chain: 'base',
  vaults: 20,
  listed: 14,
  rejected: 1,
};

describe('measureDiscovery', () => {
  it('default: vaults by state, and age of the data', async () => {
    const newestSnapshot = Date.now() / 1_000 - 100;
    const lines = await render({
      chainStates: () => [{ ...state, newestSnapshot }],
    });
    expect(lines).toEqual([
      'x_vaults{chain="base",state="listed"} 14',
      'x_vaults{chain="base",state="unlisted"} 6',
      'x_vaults{chain="base",state="rejected"} 1',
      expect.stringMatching(/^x_snapshot_age_seconds\{chain="base"\} 10\d/),
    ]);
  });

  it('behavior: no age before the first snapshot', async () => {
    const lines = await render({
      chainStates: () => [{ ...state, newestSnapshot: undefined }],
    });
    expect(lines).toHaveLength(3);
  });
});
