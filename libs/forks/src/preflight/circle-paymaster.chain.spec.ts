import type { ActiveChain } from '@yield-vault/chains';
import { localVaults } from '@yield-vault/testing/local';
import { fundWallet, startDevnet, type Devnet, type DevnetChain } from '@yield-vault/devnet';
import { testAccount } from '@yield-vault/testing';
import { parseEther, parseUnits } from 'viem';
import { buildForkChain } from '../../test/support/build-fork-chain.js';
import { buildSimulator } from '../../test/support/build-simulator.js';
import { activeChain, execute, setUpWallet, signOperation } from '../../test/support/sign-operation.js';
import type { Simulator } from './create-simulator.js';

jest.setTimeout(60_000);

const usdc = (amount: string) => parseUnits(amount, 6);
const vault = localVaults[8453].find(({ kind, asset }) => kind === 'steady' && asset === 'USDC')!.address;
let devnet: Devnet;
let started: DevnetChain;
let chain: ActiveChain;
let simulator: Simulator;

beforeAll(async () => {
  devnet = await startDevnet({ chains: ['base'], historyDays: 1, gas: { paymaster: 'circle' } });
  started = devnet.chains[0]!;
  chain = activeChain(started, { kind: 'circle' });
  const { rpcUrl, entryPoint, contracts } = started;
  const forkChain = buildForkChain({ upstreamUrls: [rpcUrl], entryPoint, contracts, paymaster: 'other' });
  simulator = buildSimulator(rpcUrl, { chains: [forkChain] });
});
afterAll(async () => {
  await simulator?.close();
  await devnet?.stop();
});

const sign = (name: string) =>
  signOperation(chain, name, [
    { hook: 'deposit', vault, token: chain.usdc, amount: usdc('25'), minShares: 1n },
  ]);
const simulate = async (name: string, balance: bigint, allowance?: bigint) => {
  await fundWallet(started, testAccount(name).address, { ethWei: parseEther('0.01'), usdc: balance });
  await setUpWallet(chain, name, allowance);
  return simulator.simulate({ chain: 'base', ...(await sign(name)) });
};

describe('simulate, with the paymaster of Circle', () => {
  it('default: a deposit uses the gas that it then really uses', async () => {
    const simulated = await simulate('depositor', usdc('100'));
    const receipt = await execute(chain, await sign('depositor'));
    expect(simulated).toMatchObject({ success: true, operationGasUsed: receipt.actualGasUsed });
  });

  it('error: AA33 when the paymaster may not take its prefund', async () => {
    const simulated = await simulate('unwilling', usdc('100'), 1_000n);
    expect(simulated).toMatchObject({
      success: false,
      aaCode: 'AA33',
      revertReason: 'INSUFFICIENT_ALLOWANCE',
    });
  });
});
