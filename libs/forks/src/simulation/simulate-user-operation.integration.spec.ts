import type { ActiveChain } from '@yield-vault/chains';
import { localOperator, localUsdcAbi, localVaults } from '@yield-vault/contracts/local';
import { fundWallet, startDevnet, type Devnet, type DevnetChain } from '@yield-vault/devnet';
import type { ExecutorHook } from '@yield-vault/smart-account';
import { testAccount } from '@yield-vault/testing';
import {
  createTestClient,
  createWalletClient,
  encodeFunctionData,
  erc20Abi,
  http,
  parseEther,
  parseUnits,
  type Address,
} from 'viem';
import { buildEphemeralForks } from '../../test/support/build-ephemeral-forks.js';
import { buildForkChain } from '../../test/support/build-fork-chain.js';
import {
  activeChain,
  chainId,
  setUpWallet,
  signOperation,
  type SignedOperation,
} from '../../test/support/sign-operation.js';
import type { MeteredEphemeralForks } from '../ephemeral/create-ephemeral-forks.js';
import { createForks, type Forks } from '../forks.js';
import type { ForkStrategy } from '../types.js';

jest.setTimeout(60_000);

const usdc = (amount: string) => parseUnits(amount, 6);
const amount = usdc('25');
const openForks: MeteredEphemeralForks[] = [];
let devnet: Devnet;
let started: DevnetChain;
let chain: ActiveChain;
let forks: Forks;

beforeAll(async () => {
  devnet = await startDevnet({ chains: ['base'], historyDays: 1 });
  const [only] = devnet.chains;
  if (!only) throw new Error('the devnet started no chain');
  started = only;
  chain = activeChain(started);
  forks = startForks('overlay', 0);
});
afterAll(async () => {
  for (const each of openForks) await each.close();
  await devnet.stop();
});

function startForks(strategy: ForkStrategy, maxHeadAgeMs: number): Forks {
  const ephemeral = buildEphemeralForks(
    started.rpcUrl,
    { strategy },
    { chains: [{ key: 'base', chainId, opStack: true, upstreamUrls: [started.rpcUrl], maxHeadAgeMs }] },
  );
  openForks.push(ephemeral);
  return createForks({
    provider: undefined,
    ephemeral,
    chains: [buildForkChain({ upstreamUrls: [started.rpcUrl] })],
    environment: 'local',
    preflightMode: 'enforce',
    testing: undefined,
    rpcUrlOf: () => undefined,
  });
}

function vaultOf(kind: string): Address {
  const vault = localVaults[8453].find((one) => one.kind === kind && one.asset === 'USDC');
  if (!vault) throw new Error(`there is no ${kind} vault for USDC`);
  return vault.address;
}

const deposit = (
  vault: Address,
  parts: Partial<Extract<ExecutorHook, { hook: 'deposit' }>> = {},
): ExecutorHook => ({
  hook: 'deposit',
  vault,
  token: chain.usdc,
  amount,
  minShares: 1n,
  ...parts,
});
/** Give a wallet USDC and set it up. */
async function newWallet(name: string, balance: bigint, allowance?: bigint) {
  const { address } = testAccount(name);
  await fundWallet(started, address, { ethWei: parseEther('0.01'), usdc: balance });
  return setUpWallet(chain, name, allowance);
}

const simulate = (signed: SignedOperation, on: Forks = forks) =>
  on.simulateUserOperation({ chain: 'base', ...signed, tokens: [vaultOf('steady')] });
const balanceOf = (token: Address, wallet: Address) =>
  chain.rpc.readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [wallet] });

async function execute({ operation, userOpHash }: SignedOperation) {
  const { bundler } = chain;
  if (!bundler) throw new Error('the devnet has no bundler');
  await bundler.send(operation);
  for (;;) {
    const receipt = await bundler.receipt(userOpHash);
    if (receipt) return receipt;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function asUsdcOperator(data: `0x${string}`): Promise<void> {
  const transport = http(started.rpcUrl);
  await createTestClient({ mode: 'anvil', transport }).impersonateAccount({ address: localOperator });
  const wallet = createWalletClient({ account: localOperator, transport });
  await chain.rpc.waitForTransactionReceipt({
    hash: await wallet.sendTransaction({ to: chain.usdc, data, chain: null }),
  });
}

it.each(['overlay', 'process', 'upstream-simulate'] as const)(
  'default: %s: a deposit does what it then really does, to the unit and to the gas',
  async (strategy) => {
    const name = `depositor ${strategy}`;
    const wallet = await newWallet(name, usdc('100'));
    const vault = vaultOf('steady');
    const signed = await signOperation(chain, name, [deposit(vault)]);
    const simulated = await simulate(signed, startForks(strategy, 0));
    const before = await Promise.all([
      balanceOf(chain.usdc, wallet.address),
      balanceOf(vault, wallet.address),
    ]);
    // Nothing of the simulation stays.
    expect(before).toEqual([usdc('100'), 0n]);

    const receipt = await execute(signed);
    const after = await Promise.all([
      balanceOf(chain.usdc, wallet.address),
      balanceOf(vault, wallet.address),
    ]);
    expect(simulated).toMatchObject({ success: true, strategy });
    if (!simulated.success) return;
    expect(simulated.operationGasUsed).toBe(receipt.actualGasUsed);
    expect(simulated.gasUsed).toBeGreaterThan(simulated.operationGasUsed / 2n);
    const changes = new Map(simulated.balanceChanges.map(({ token, change }) => [token, change]));
    expect([...changes.keys()]).toEqual([chain.usdc, vault]);
    // Shares are worth more with every second, and gas costs what the block says.
    const spent = before[0] - after[0];
    const minted = after[1] - before[1];
    expect(Number(changes.get(vault)) / Number(minted)).toBeCloseTo(1, 5);
    expect(Math.abs(Number(changes.get(chain.usdc)) + Number(spent))).toBeLessThan(Number(usdc('0.05')));
  },
);

describe('a failure', () => {
  const funded = async (name: string, balance = usdc('100')) => {
    await newWallet(name, balance);
    return name;
  };
  const failing = async (signed: SignedOperation) => {
    const simulated = await simulate(signed);
    if (simulated.success) throw new Error('the simulation succeeded');
    const { revertReason, aaCode } = simulated;
    return { revertReason, aaCode };
  };

  it('error: INSUFFICIENT_BALANCE for a deposit of more than the wallet has', async () => {
    const name = await funded('poor', usdc('5'));
    const signed = await signOperation(chain, name, [deposit(vaultOf('steady'))]);
    expect(await failing(signed)).toEqual({ revertReason: 'INSUFFICIENT_BALANCE' });
  });

  it('error: INSUFFICIENT_BALANCE when the wallet has nothing for the gas', async () => {
    const name = await funded('empty', 0n);
    const signed = await signOperation(chain, name, [deposit(vaultOf('steady'))]);
    expect(await failing(signed)).toEqual({ revertReason: 'INSUFFICIENT_BALANCE', aaCode: 'AA34' });
  });

  it.each([
    ['EnforcedPause', 'paused', {}],
    ['ERC4626ExceededMaxDeposit', 'capped', { amount: usdc('100000') }],
    ['MinSharesNotMet', 'steady', { minShares: 10n ** 40n }],
  ])('error: %s from a %s vault', async (revertReason, kind, parts) => {
    const name = await funded(`${kind} wallet`, usdc('200000'));
    const signed = await signOperation(chain, name, [deposit(vaultOf(kind), parts)]);
    expect(await failing(signed)).toEqual({ revertReason });
  });

  it('error: the words of USDC for a wallet on its blacklist', async () => {
    const name = await funded('listed');
    const signed = await signOperation(chain, name, [deposit(vaultOf('steady'))]);
    const args = [testAccount(name).address] as const;
    await asUsdcOperator(encodeFunctionData({ abi: localUsdcAbi, functionName: 'blacklist', args }));
    // The paymaster pulls its prefund first.
    expect(await failing(signed)).toEqual({
      revertReason: 'Blacklistable: account is blacklisted',
      aaCode: 'AA34',
    });
  });

  it('error: INSUFFICIENT_ALLOWANCE when the paymaster may not take its fee', async () => {
    await newWallet('stingy', usdc('100'), 1n);
    const signed = await signOperation(chain, 'stingy', [deposit(vaultOf('steady'))]);
    expect(await failing(signed)).toEqual({ revertReason: 'INSUFFICIENT_ALLOWANCE', aaCode: 'AA34' });
  });

  it('error: AA20, AA22, AA24, AA25: what the entry point refuses', async () => {
    const name = await funded('refused');
    const hooks = [deposit(vaultOf('steady'))];
    const expired = await signOperation(chain, name, hooks, { expiry: 1_700_000_000 });
    expect(await failing(expired)).toMatchObject({ aaCode: 'AA22' });
    const forged = await signOperation(chain, name, hooks, { signer: 'somebody else' });
    expect(await failing(forged)).toMatchObject({ aaCode: 'AA24' });
    const signed = await signOperation(chain, name, hooks);
    const nonce = signed.operation.nonce + 1n;
    const early = await signOperation(chain, name, hooks, { operation: { nonce } });
    expect(await failing(early)).toMatchObject({ aaCode: 'AA25' });
    await execute(signed);
    expect(await failing(signed)).toEqual({ revertReason: 'AA25 invalid account nonce', aaCode: 'AA25' });
    const bare = await signOperation(chain, 'never set up', hooks);
    expect(await failing(bare)).toMatchObject({ aaCode: 'AA20' });
  });

  it('error: OUT_OF_GAS when the operation gives itself too little', async () => {
    const name = await funded('hasty');
    const operation = { callGasLimit: 60_000n };
    const signed = await signOperation(chain, name, [deposit(vaultOf('steady'))], { operation });
    expect(await failing(signed)).toEqual({ revertReason: 'OUT_OF_GAS' });
  });
});

it('behavior: an old head never refuses what the newest block allows', async () => {
  const patient = startForks('overlay', 3_600_000);
  const bare = await signOperation(chain, 'late', [deposit(vaultOf('steady'))]);
  const early = await simulate(bare, patient);
  await newWallet('late', usdc('100'));
  const late = await simulate(bare, patient);
  expect(early).toMatchObject({ success: false, aaCode: 'AA20' });
  expect(late).toMatchObject({ success: true });
  expect(late.block.number).toBeGreaterThan(early.block.number);
});

it('behavior: many at the same time see nothing of each other', async () => {
  const names = Array.from({ length: 4 }, (_, index) => `crowd ${index}`);
  for (const name of names) await newWallet(name, usdc('30'));
  const signed = await Promise.all(
    names.map((name) => signOperation(chain, name, [deposit(vaultOf('steady'))])),
  );
  // Each wallet could pay for one of them only.
  const outcomes = await Promise.all([...signed, ...signed, ...signed].map((each) => simulate(each)));
  expect(outcomes.map(({ success }) => success)).toEqual(outcomes.map(() => true));
});
