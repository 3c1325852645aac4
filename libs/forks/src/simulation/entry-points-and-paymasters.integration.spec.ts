import type { ActiveChain, PaymasterConfig } from '@yield-vault/chains';
import { localVaults } from '@yield-vault/contracts/local';
import { fundWallet, startDevnet, type Devnet, type DevnetChain, type DevnetGas } from '@yield-vault/devnet';
import { testAccount } from '@yield-vault/testing';
import { parseEther, parseUnits } from 'viem';
import { buildEphemeralForks } from '../../test/support/build-ephemeral-forks.js';
import { buildForkChain } from '../../test/support/build-fork-chain.js';
import { activeChain, chainId, setUpWallet, signOperation } from '../../test/support/sign-operation.js';
import type { MeteredEphemeralForks } from '../ephemeral/create-ephemeral-forks.js';
import { createForks, type Forks } from '../forks.js';

jest.setTimeout(60_000);

const usdc = (amount: string) => parseUnits(amount, 6);
const vault = localVaults[8453].find(({ kind, asset }) => kind === 'steady' && asset === 'USDC')!.address;
const settings: readonly (readonly [string, DevnetGas, PaymasterConfig])[] = [
  ['EntryPoint v0.7 with our paymaster', { entryPointVersion: '0.7' }, { kind: 'own' }],
  ['EntryPoint v0.8 with Circle’s', { paymaster: 'circle' }, { kind: 'circle' }],
];

describe.each(settings)('%s', (_, gas, paymaster) => {
  let devnet: Devnet;
  let started: DevnetChain;
  let chain: ActiveChain;
  let ephemeral: MeteredEphemeralForks;
  let forks: Forks;

  beforeAll(async () => {
    devnet = await startDevnet({ chains: ['base'], historyDays: 1, gas });
    started = devnet.chains[0]!;
    chain = activeChain(started, paymaster);
    const upstreamUrls = [started.rpcUrl];
    ephemeral = buildEphemeralForks(
      started.rpcUrl,
      { strategy: 'overlay' },
      { chains: [{ key: 'base', chainId, opStack: true, upstreamUrls, maxHeadAgeMs: 0 }] },
    );
    const { entryPoint, contracts } = started;
    forks = createForks({
      provider: undefined,
      ephemeral,
      chains: [
        buildForkChain({
          upstreamUrls,
          entryPoint,
          contracts,
          paymaster: paymaster.kind === 'own' ? 'own' : 'other',
        }),
      ],
      environment: 'local',
      preflightMode: 'enforce',
      testing: undefined,
      rpcUrlOf: () => undefined,
    });
  });
  afterAll(async () => {
    await ephemeral.close();
    await devnet.stop();
  });

  async function newWallet(name: string, balance: bigint, allowance?: bigint) {
    await fundWallet(started, testAccount(name).address, { ethWei: parseEther('0.01'), usdc: balance });
    return setUpWallet(chain, name, allowance);
  }
  const sign = (name: string) =>
    signOperation(chain, name, [
      { hook: 'deposit', vault, token: chain.usdc, amount: usdc('25'), minShares: 1n },
    ]);
  const simulate = async (name: string) =>
    forks.simulateUserOperation({ chain: 'base', ...(await sign(name)), tokens: [vault] });

  it('default: a deposit does what it then really does, to the gas', async () => {
    await newWallet('depositor', usdc('100'));
    const simulated = await simulate('depositor');
    expect(simulated).toMatchObject({ success: true });
    const { operation, userOpHash } = await sign('depositor');
    const bundler = chain.bundler!;
    expect(await bundler.send(operation)).toBe(userOpHash);
    let receipt = await bundler.receipt(userOpHash);
    while (!receipt) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      receipt = await bundler.receipt(userOpHash);
    }
    expect(simulated).toMatchObject({ operationGasUsed: receipt.actualGasUsed });
  });

  it('error: what a deposit lacks', async () => {
    await newWallet('poor', usdc('10'));
    expect(await simulate('poor')).toMatchObject({ success: false, revertReason: 'INSUFFICIENT_BALANCE' });
  });

  it('error: what the paymaster lacks for its prefund', async () => {
    await newWallet('unwilling', usdc('100'), 1_000n);
    expect(await simulate('unwilling')).toMatchObject({
      success: false,
      aaCode: paymaster.kind === 'own' ? 'AA34' : 'AA33',
      revertReason: 'INSUFFICIENT_ALLOWANCE',
    });
  });
});
