import { suite } from '@yield-vault/contracts';
import { zeroAddress, type Address } from 'viem';
import type { DelegationReport } from '../types.js';
import { planUnsetup } from './plan-unsetup.js';

const wallet: Address = '0x00000000000000000000000000000000000000a1';
const usdc: Address = '0x00000000000000000000000000000000000000c1';
const options = { account: suite.account, usdc, revokeForeign: false };

const buildReport = (overrides: Partial<DelegationReport>): DelegationReport => ({
  wallet,
  chainId: 8453,
  delegation: { kind: 'none' },
  modules: [],
  modulesComplete: true,
  allowances: [],
  nonce: { latest: 0, pending: 0 },
  ethWei: 0n,
  usdcBaseUnits: 0n,
  ...overrides,
});

describe('planUnsetup', () => {
  it('default: nothing for a wallet without anything', () => {
    expect(planUnsetup(buildReport({}), options)).toEqual({ steps: [], remains: [] });
  });

  it('behavior: modules stay where no account of ours could take them out', () => {
    const report = buildReport({ modules: [{ type: 'validator', address: suite.validator, known: true }] });
    const { steps, remains } = planUnsetup(report, { ...options, account: undefined });
    expect(steps).toEqual([]);
    expect(remains).toEqual([expect.stringContaining(suite.validator)]);
  });

  it('behavior: modules of which nobody knows all are left, and said to be there', () => {
    const report = buildReport({
      delegation: { kind: 'ours', implementation: suite.account, missing: [] },
      modules: [{ type: 'validator', address: suite.validator, known: true }],
      modulesComplete: false,
    });
    const { steps, remains } = planUnsetup(report, options);
    expect(steps).toMatchObject([{ to: wallet, data: '0x', delegateTo: zeroAddress }]);
    expect(remains).toEqual([
      expect.stringContaining(suite.validator),
      expect.stringContaining('never delegate to it again'),
    ]);
  });
});
