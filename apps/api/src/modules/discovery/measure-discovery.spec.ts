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
  samplingFailures: 3,
  isSamplingStopped: true,
};

describe('measureDiscovery', () => {
  it('default: vaults by state, age of the data, and the sampling process', async () => {
    const newestSnapshot = Date.now() / 1_000 - 100;
    const lines = await render({
      chainStates: () => [{ ...state, newestSnapshot }],
      isSampling: () => true,
    });
    expect(lines).toEqual([
      'x_vaults{chain="base",state="listed"} 14',
      'x_vaults{chain="base",state="unlisted"} 6',
      'x_vaults{chain="base",state="rejected"} 1',
      expect.stringMatching(/^x_snapshot_age_seconds\{chain="base"\} 10\d/),
      'x_sampling_failures_total{chain="base"} 3',
      'x_sampling_stopped{chain="base"} 1',
      'x_sampler_leader 1',
    ]);
  });

  it('behavior: no age before the first snapshot', async () => {
    const lines = await render({
      chainStates: () => [{ ...state, newestSnapshot: undefined }],
      isSampling: () => false,
    });
    expect(lines).toHaveLength(6);
    expect(lines).toContain('x_sampler_leader 0');
  });
});
