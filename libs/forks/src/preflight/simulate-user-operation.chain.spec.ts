import type { ActiveChain } from '@yield-vault/chains';
import { localVaults } from '@yield-vault/testing/local';
import { fundWallet, startDevnet, type Devnet, type DevnetChain } from '@yield-vault/devnet';
import type { ExecutorHook } from '@yield-vault/smart-account';
import { startFakeRpc, testAccount, type FakeRpc } from '@yield-vault/testing';
import { createTestClient, erc20Abi, http, parseEther, parseUnits, type Address } from 'viem';
import { buildForkChain } from '../../test/support/build-fork-chain.js';
import { buildSimulator } from '../../test/support/build-simulator.js';
import { recordingLogger } from '../../test/support/recording-logger.js';
import {
  activeChain,
  execute,
  setUpWallet,
  signOperation,
  type SignedOperation,
} from '../../test/support/sign-operation.js';
import { createForkManager } from '../server/create-fork-manager.js';
import type { ForkProvider } from '../types.js';
import type { Simulator, SimulatorOptions } from './create-simulator.js';
import type { UserOperationRequest } from './types.js';

jest.setTimeout(60_000);

const usdc = (amount: string) => parseUnits(amount, 6);
const amount = usdc('25');
let devnet: Devnet;
let started: DevnetChain;
let chain: ActiveChain;
/** A node that cannot simulate. */
let oldNode: FakeRpc;
let forks: ForkProvider;
let simulators: readonly Simulator[];

/** Make a simulator of each backend. */
function startBoth(options: Partial<SimulatorOptions> = {}): readonly Simulator[] {
  return [buildSimulator(started.rpcUrl, options), buildSimulator(oldNode.rpcUrl, { forks, ...options })];
}

beforeAll(async () => {
  devnet = await startDevnet({ chains: ['base'], historyDays: 1 });
  started = devnet.chains[0]!;
  chain = activeChain(started);
  oldNode = await startFakeRpc({ eth_getBalance: () => '0x0' });
  forks = createForkManager({
    chains: [buildForkChain({ upstreamUrls: [started.rpcUrl] })],
    options: { maxForks: 8, idleSeconds: 900 },
    logger: recordingLogger(),
  });
  simulators = startBoth();
});
afterAll(async () => {
  for (const each of simulators ?? []) await each.close();
  await forks?.close();
  await oldNode?.stop();
  await devnet?.stop();
});

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
const hooks = () => [deposit(vaultOf('steady'))];

/** Give a wallet USDC and set it up. */
async function newWallet(name: string, balance = usdc('100')) {
  const { address } = testAccount(name);
  await fundWallet(started, address, { ethWei: parseEther('0.01'), usdc: balance });
  return setUpWallet(chain, name);
}

const balanceOf = (token: Address, wallet: Address) =>
  chain.rpc.readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [wallet] });

/** Simulate with both backends. */
async function simulateBoth(
  signed: SignedOperation,
  parts: Partial<UserOperationRequest> = {},
  on = simulators,
) {
  const simulate = (simulator: Simulator) => simulator.simulate({ chain: 'base', ...signed, ...parts });
  const [node, anvil] = await Promise.all([simulate(on[0]!), simulate(on[1]!)]);
  expect([node.backend, anvil.backend]).toEqual(['node', 'anvil']);
  return [node, anvil] as const;
}

/** The failure that both backends report. */
async function failureOf(
  signed: SignedOperation,
  parts?: Partial<UserOperationRequest>,
  on?: typeof simulators,
) {
  const [node, anvil] = (await simulateBoth(signed, parts, on)).map((simulation) => {
    if (simulation.success) throw new Error(`the simulation on ${simulation.backend} succeeded`);
    const { revertReason, aaCode, revertData } = simulation;
    return { revertReason, aaCode, revertData };
  });
  expect(anvil).toEqual(node);
  return { revertReason: node?.revertReason, aaCode: node?.aaCode };
}

const operator = () => createTestClient({ mode: 'anvil', transport: http(started.rpcUrl) });

describe('simulate, on a node and on an Anvil fork', () => {
  it('default: the simulated deposit uses the gas of the executed one, and leaves nothing', async () => {
    const { address } = await newWallet('depositor');
    const vault = vaultOf('steady');
    const signed = await signOperation(chain, 'depositor', hooks());
    const simulations = await simulateBoth(signed);
    const before = await Promise.all([balanceOf(chain.usdc, address), balanceOf(vault, address)]);
    // Nothing of the simulation stays.
    expect(before).toEqual([usdc('100'), 0n]);

    const receipt = await execute(chain, signed);
    for (const simulated of simulations) {
      if (!simulated.success) throw new Error(simulated.revertReason);
      expect(simulated.operationGasUsed).toBe(receipt.actualGasUsed);
    }
  });

  it('error: INSUFFICIENT_BALANCE for a deposit of more than the wallet has', async () => {
    await newWallet('poor', usdc('5'));
    const signed = await signOperation(chain, 'poor', hooks());
    expect(await failureOf(signed)).toEqual({ revertReason: 'INSUFFICIENT_BALANCE' });
  });

  it.each([
    ['EnforcedPause', 'paused', {}],
    ['ERC4626ExceededMaxDeposit', 'capped', { amount: usdc('100000') }],
    ['MinSharesNotMet', 'steady', { minShares: 10n ** 40n }],
  ])('error: %s from a %s vault', async (revertReason, kind, parts) => {
    await newWallet(`${kind} wallet`, usdc('200000'));
    const signed = await signOperation(chain, `${kind} wallet`, [deposit(vaultOf(kind), parts)]);
    expect(await failureOf(signed)).toEqual({ revertReason });
  });

  it('error: AA34 with the reason of the token or the account when it does not pay the prefund', async () => {
    await newWallet('empty', 0n);
    const empty = await signOperation(chain, 'empty', hooks());
    expect(await failureOf(empty)).toEqual({ revertReason: 'INSUFFICIENT_BALANCE', aaCode: 'AA34' });

    await newWallet('stingy');
    const stingy = await signOperation(chain, 'stingy', hooks(), { maximum: 1n });
    expect(await failureOf(stingy)).toEqual({ revertReason: 'GasPaymentRefused', aaCode: 'AA34' });
  });

  it('error: AA20, AA23, AA24, AA25, AA33: refusals of the entry point', async () => {
    await newWallet('refused');
    const sign = (overrides?: Parameters<typeof signOperation>[3]) =>
      signOperation(chain, 'refused', hooks(), overrides);
    const bare = await signOperation(chain, 'never set up', hooks());
    expect(await failureOf(bare)).toMatchObject({ aaCode: 'AA20' });
    const hasty = await sign({ operation: { verificationGasLimit: 5_000n } });
    expect(await failureOf(hasty)).toMatchObject({ aaCode: 'AA23' });
    expect(await failureOf(await sign({ signer: 'somebody else' }))).toMatchObject({ aaCode: 'AA24' });
    const starved = await sign({ operation: { paymasterVerificationGasLimit: 1_000n } });
    expect(await failureOf(starved)).toMatchObject({ aaCode: 'AA33' });
    const signed = await sign();
    const early = await sign({ operation: { nonce: signed.operation.nonce + 1n } });
    expect(await failureOf(early)).toMatchObject({ aaCode: 'AA25' });
    await execute(chain, signed);
    expect(await failureOf(signed)).toEqual({ revertReason: 'AA25 invalid account nonce', aaCode: 'AA25' });
  });

  it('error: OUT_OF_GAS when the operation gives itself too little', async () => {
    await newWallet('hasty');
    const operation = { callGasLimit: 60_000n };
    const signed = await signOperation(chain, 'hasty', hooks(), { operation });
    expect(await failureOf(signed)).toEqual({ revertReason: 'OUT_OF_GAS' });
  });

  it('behavior: an operation passes until its last second, and fails with AA22 afterwards', async () => {
    await newWallet('late');
    await operator().mine({ blocks: 1 });
    const newest = await chain.rpc.getBlock();
    const timestamp = Number(newest.timestamp);
    // The next block has the second after the newest one.
    const both = startBoth({ newestBlock: () => newest, now: () => timestamp * 1_000 });
    const expiring = (expiry: number) => signOperation(chain, 'late', hooks(), { expiry });
    const passing = await simulateBoth(await expiring(timestamp + 1), {}, both);
    expect(passing.map(({ success }) => success)).toEqual([true, true]);
    // Anvil's own block has the second of the newest one.
    expect(await failureOf(await expiring(timestamp - 1), {}, both)).toMatchObject({ aaCode: 'AA22' });
    for (const each of both) await each.close();
  });

  it('behavior: a delegation that is not mined yet counts', async () => {
    const { address } = await newWallet('delegating');
    await operator().setCode({ address, bytecode: '0x' });
    const signed = await signOperation(chain, 'delegating', hooks());
    expect(await failureOf(signed)).toMatchObject({ aaCode: 'AA20' });
    const pending = await simulateBoth(signed, { pendingDelegation: chain.contracts.account });
    expect(pending.map(({ success }) => success)).toEqual([true, true]);
    expect(await chain.rpc.getCode({ address })).toBeUndefined();
  });
});

it('behavior: concurrent simulations see nothing of each other', async () => {
  const names = Array.from({ length: 4 }, (_, index) => `crowd ${index}`);
  for (const name of names) await newWallet(name, usdc('30'));
  const signed = await Promise.all(names.map((name) => signOperation(chain, name, hooks())));
  // Each wallet could pay for one of them only.
  const all = [...signed, ...signed, ...signed].map((each) =>
    simulators[0]!.simulate({ chain: 'base', ...each }),
  );
  expect((await Promise.all(all)).map(({ success }) => success)).toEqual(all.map(() => true));
});
