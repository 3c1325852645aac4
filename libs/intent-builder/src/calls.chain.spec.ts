import { yieldRouterAbi, walletContracts } from '@yield-vault/contracts';
import { InsufficientBalanceError, type CallsRequest, type CallsResponse } from '@yield-vault/protocol';
import { recordRequests, testAccount } from '@yield-vault/testing';
import { realiseLoss } from '@yield-vault/testing/local';
import { createTestClient, createWalletClient, decodeFunctionData, erc20Abi, http } from 'viem';
import { listLocalVault } from '../test/build-catalogue.js';
import { errorOf } from '../test/expect-error.js';
import { localVault, startLocalDeployment, type LocalDeployment } from '../test/local-deployment.js';
import { createWallets } from '../test/wallets.js';

const steady = listLocalVault(localVault('steady'));
const capped = listLocalVault(localVault('capped'));
const locked = listLocalVault(localVault('locked'));
const paused = listLocalVault(localVault('paused'));
const { router } = walletContracts;
let local: LocalDeployment;
let wallets: ReturnType<typeof createWallets>;

beforeAll(async () => {
  local = await startLocalDeployment();
  wallets = createWallets(local, [steady, capped, locked, paused]);
}, 120_000);
afterAll(() => local.stop());

const url = () => local.chain.rpcUrls[0]!;
const callsOf = (name: string, request: Partial<CallsRequest>) =>
  wallets.build().calls({
    operation: 'deposit',
    chain: 'base',
    from: wallets.addressOf(name),
    vaultId: steady.vaultId,
    ...request,
  });

/** Send the calls one after the other, as a plain wallet does; the status of the last one. */
async function send(name: string, { calls }: Pick<CallsResponse, 'calls'>): Promise<string> {
  const wallet = createWalletClient({ account: testAccount(name), transport: http(url()) });
  let status = '';
  for (const { to, data } of calls) {
    const hash = await wallet.sendTransaction({ chain: null, to, data, gas: 1_000_000n });
    ({ status } = await local.chain.rpc.waitForTransactionReceipt({ hash }));
  }
  return status;
}

const readCall = ({ calls }: CallsResponse) =>
  decodeFunctionData({ abi: yieldRouterAbi, data: calls.at(-1)!.data });

describe('calls', () => {
  it('default: a wallet that delegates to nothing deposits, and redeems everything', async () => {
    const owner = wallets.addressOf('plain');
    await local.fund(owner, 100_000_000n);
    const deposit = await callsOf('plain', { amount: '100' });
    const { calls, minOut, ...rest } = deposit;
    expect(rest).toEqual({
      version: '2.0.0',
      chainId: '0x2105',
      from: owner,
      atomicRequired: false,
      summary: expect.stringContaining('Deposits 100 USDC') as string,
    });
    expect(calls.map(({ to, value }) => [to, value])).toEqual([
      [local.chain.usdc, '0x0'],
      [router, '0x0'],
    ]);
    expect(decodeFunctionData({ abi: erc20Abi, data: calls[0]!.data })).toEqual({
      functionName: 'approve',
      args: [router, 100_000_000n],
    });
    const args = [steady.vaultAddress, steady.asset.address, 100_000_000n, BigInt(minOut)];
    expect(readCall(deposit)).toEqual({ functionName: 'deposit', args });

    expect(await send('plain', deposit)).toBe('success');
    const shares = await wallets.balance(owner, steady.vaultAddress);
    expect(shares).toBeGreaterThanOrEqual(BigInt(minOut));
    expect(shares * 994n).toBeLessThan(BigInt(minOut) * 1_000n);
    expect(await wallets.balance(owner)).toBe(0n);

    const redeem = await callsOf('plain', { operation: 'redeem', percentage: 100 });
    expect(readCall(redeem).args[2]).toBe(shares);
    expect(await send('plain', redeem)).toBe('success');
    expect(await wallets.balance(owner, steady.vaultAddress)).toBe(0n);
    expect(await wallets.balance(owner)).toBeGreaterThanOrEqual(BigInt(redeem.minOut));
    expect(await wallets.allowance(owner, router)).toBe(0n);
  });

  it('behavior: one read and one simulation, at once for any wallet', async () => {
    await local.fund(wallets.addressOf('counted'), 100_000_000n);
    const requests = await recordRequests(() => callsOf('counted', { amount: '1' }));
    expect(requests).toHaveLength(2);
  });

  it('behavior: a contract, such as a Safe, gets calls', async () => {
    const owner = wallets.addressOf('contract');
    await local.fund(owner, 100_000_000n);
    // It returns nothing to anybody, so only its address can count.
    await createTestClient({ mode: 'anvil', transport: http(url()) }).setCode({
      address: owner,
      bytecode: '0x60006000fd',
    });
    expect((await callsOf('contract', { amount: '100' })).calls).toHaveLength(2);
  });

  it('behavior: an allowance that was left over is reset first', async () => {
    const owner = wallets.addressOf('leftover');
    await local.fund(owner, 100_000_000n);
    await wallets.useUsdc('leftover', 'approve', router, 7n);
    const deposit = await callsOf('leftover', { amount: '100' });
    const approvals = deposit.calls
      .slice(0, -1)
      .map(({ data }) => decodeFunctionData({ abi: erc20Abi, data }).args);
    expect(approvals).toEqual([
      [router, 0n],
      [router, 100_000_000n],
    ]);
    expect(await send('leftover', deposit)).toBe('success');
  });

  it('behavior: a price that moves between preparation and inclusion makes the calls revert, and nothing moves', async () => {
    const owner = wallets.addressOf('moved');
    await local.fund(owner, 200_000_000n);
    expect(await send('moved', await callsOf('moved', { amount: '100' }))).toBe('success');
    const redeem = await callsOf('moved', { operation: 'redeem', percentage: 100 });
    const before = await wallets.balance(owner, steady.vaultAddress);
    await realiseLoss({ rpcUrl: url() }, localVault('steady'), 0.01);
    expect(await send('moved', redeem)).toBe('reverted');
    expect(await wallets.balance(owner, steady.vaultAddress)).toBe(before);
    expect(await wallets.balance(owner)).toBe(100_000_000n);
  });

  it('error: INSUFFICIENT_BALANCE names the missing assets or shares, and no gas', async () => {
    await local.fund(wallets.addressOf('poor'), 10_000_000n);
    const deposit = await errorOf(InsufficientBalanceError, callsOf('poor', { amount: '100' }));
    expect(deposit.details).toEqual({
      token: local.chain.usdc,
      decimals: 6,
      available: '10000000',
      required: '100000000',
      missing: '90000000',
      gas: '0',
      maxAmount: '10',
    });
    const redeem = await errorOf(
      InsufficientBalanceError,
      callsOf('poor', { operation: 'redeem', percentage: 100 }),
    );
    expect(redeem.details).toMatchObject({
      token: steady.vaultAddress,
      available: '0',
      gas: '0',
      maxAmount: null,
    });
  });

  it('error: PREFLIGHT_SIMULATION_FAILED where only the run shows that the calls would revert', async () => {
    const { vaultId } = locked;
    await local.fund(wallets.addressOf('locked'), 100_000_000n);
    expect(await send('locked', await callsOf('locked', { vaultId, amount: '100' }))).toBe('success');
    await expect(callsOf('locked', { vaultId, operation: 'redeem', percentage: 50 })).rejects.toMatchObject({
      code: 'PREFLIGHT_SIMULATION_FAILED',
      details: { revertReason: expect.any(String) as string },
    });
  });

  it.each([
    ['a vault at its capacity', { vaultId: capped.vaultId, amount: '90000000' }, 'VAULT_AT_CAPACITY'],
    ['a paused vault', { vaultId: paused.vaultId, amount: '100' }, 'VAULT_AT_CAPACITY'],
    ['a deposit without an amount', {}, 'INVALID_PARAMETERS'],
    ['shares and percentage', { operation: 'redeem', shares: '1', percentage: 1 }, 'INVALID_PARAMETERS'],
    ['an amount in a redeem', { operation: 'redeem', amount: '1', percentage: 1 }, 'INVALID_PARAMETERS'],
    ['an unknown vault', { vaultId: '1', amount: '1' }, 'UNKNOWN_VAULT'],
  ] as const)('error: %s', async (_, request, code) => {
    await local.fund(wallets.addressOf('rich'), 100_000_000_000_000n);
    await expect(callsOf('rich', request)).rejects.toMatchObject({ code });
  });
});
