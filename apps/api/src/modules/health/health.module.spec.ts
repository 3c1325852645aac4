import { type ContractInspection, walletContracts } from '@yield-vault/contracts';
import type { ChainProbe } from './create-health-monitor.js';
import { createProbe } from './health.module.js';

const faults: readonly ContractInspection[] = [
  { contract: 'account', address: walletContracts.account, status: 'missing' },
];
const up: ChainProbe = { blockNumber: 1, rpc: 'ok', bundler: 'ok', bundlers: {} };
const down: ChainProbe = { blockNumber: null, rpc: 'down', bundler: 'ok', bundlers: {} };

describe('createProbe', () => {
  it.each([
    ['nothing is missing', up, () => Promise.resolve([]), up],
    ['a contract is missing', up, () => Promise.resolve(faults), { ...up, contracts: 'missing' }],
    ['the node fails meanwhile', up, () => Promise.reject(new Error('down')), up],
    ['the node is down', down, () => Promise.resolve(faults), down],
  ])('default: the result when %s', async (_, probe, listFaults, expected) => {
    const gasChecks: string[] = [];
    const probeChain = createProbe(
      () => Promise.resolve(probe),
      { faults: listFaults },
      (key) => Promise.resolve(void gasChecks.push(key)),
    );
    expect(await probeChain('base')).toEqual(expected);
    expect(gasChecks).toEqual(probe.rpc === 'ok' ? ['base'] : []);
  });
});
