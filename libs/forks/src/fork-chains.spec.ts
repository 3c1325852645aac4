import type { ChainConfig } from '@yield-vault/chains';
import { localContracts } from '@yield-vault/contracts';
import { forkChains } from './fork-chains.js';

const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const minter = '0x2230393EDAD0299b7E7B59F20AA856cD1bEd52e1';
const bundler = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const base: ChainConfig = {
  chainId: 8453,
  name: 'Base',
  relayMode: 'managed-fork',
  confirmations: 0,
  rpcUrls: ['http://127.0.0.1:1', 'http://127.0.0.1:2'],
  bundlerUrls: [],
  explorerUrl: 'https://explorer.example',
  entryPoint: '0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108',
  paymaster: { kind: 'own' },
  contracts: localContracts(8453),
  usdc,
  fork: { opStack: true, bundlerAccounts: [bundler], usdcBalanceSlot: 9, usdcMasterMinter: minter },
  deadlines: { rpcMs: 1, bundlerMs: 1 },
};

describe('forkChains', () => {
  it('default', () => {
    expect(forkChains({ chains: { base } })).toEqual([
      {
        key: 'base',
        chainId: 8453,
        upstreamUrls: base.rpcUrls,
        opStack: true,
        entryPoint: base.entryPoint,
        contracts: base.contracts,
        paymaster: 'own',
        usdc: { address: usdc, balanceSlot: 9, masterMinter: minter },
        bundlerAccounts: [bundler],
      },
    ]);
  });

  it.each([{ kind: 'circle' }, { kind: 'erc7677', url: 'http://127.0.0.1:3', context: {} }] as const)(
    'behavior: the paymaster of %j is one of others',
    (paymaster) => {
      const [chain] = forkChains({ chains: { base: { ...base, paymaster } } });
      expect(chain?.paymaster).toBe('other');
    },
  );
});
