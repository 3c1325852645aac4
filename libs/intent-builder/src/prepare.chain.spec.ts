import type { Bundler } from '@yield-vault/chains';
import { chainFacts, localContracts, yieldVaultAccountAbi } from '@yield-vault/contracts';
import {
  fromWireUserOperation,
  InvalidParametersError,
  setupTicketId,
  totalGasLimit,
  UpstreamUnavailableError,
  type Execution,
} from '@yield-vault/protocol';
import { decodeAccountCall } from '@yield-vault/smart-account';
import { recordRequests, testAccount, testKey } from '@yield-vault/testing';
import { localPriceFeedAbi } from '@yield-vault/testing/local';
import { createWalletClient, encodeFunctionData, formatUnits, http, parseUnits, type Hex } from 'viem';
import { listLocalVault } from '../test/build-catalogue.js';
import {
  localVault,
  sendSetup,
  startLocalDeployment,
  type LocalDeployment,
} from '../test/local-deployment.js';
import { measureGas, type MeasuredGas } from '../test/measure-gas.js';
import { createWallets } from '../test/wallets.js';

const scores = (balanced: number) => ({ maximize_apy: 1, minimize_risk: 1, balanced });
const steady = listLocalVault(localVault('steady'), { compositeScores: scores(50) });
const faster = listLocalVault(localVault('faster'), { compositeScores: scores(90) });
const capped = listLocalVault(localVault('capped'), { compositeScores: scores(30) });
const weth = listLocalVault(localVault('steady', 'WETH'));
// Gas that a part may leave unused without a penalty.
const penaltyThreshold = 40_000n;
let local: LocalDeployment;
let wallets: ReturnType<typeof createWallets>;

beforeAll(async () => {
  local = await startLocalDeployment();
  wallets = createWallets(local, [steady, faster, capped, weth]);
}, 120_000);
afterAll(() => local.stop());

const parts = [
  'verificationGasLimit',
  'paymasterVerificationGasLimit',
  'callGasLimit',
  'paymasterPostOpGasLimit',
] as const satisfies readonly (keyof MeasuredGas)[];

/** Run an operation as prepared: each part has room, and pays little for it. */
async function runFitting(name: string, execution: Execution): Promise<void> {
  const operation = fromWireUserOperation(execution.intentEnvelope.userOps[0]!.userOperation);
  const { actualGasUsed, receipt } = await wallets.run(name, execution);
  const used = await measureGas(local.chain, receipt.transactionHash, operation);
  for (const part of parts) {
    const limit = operation[part] ?? 0n;
    expect({ part, limit, fits: limit * 100n >= used[part] * 105n }).toEqual({ part, limit, fits: true });
  }
  expect(totalGasLimit(operation)).toBeLessThanOrEqual(actualGasUsed * 2n);
  // A tenth of what these two leave unused is charged, above a threshold: what the room for vaults that accrue costs.
  const penalty = (['callGasLimit', 'paymasterPostOpGasLimit'] as const)
    .map((part) => (operation[part] ?? 0n) - used[part])
    .reduce((sum, unused) => sum + (unused > penaltyThreshold ? unused / 10n : 0n), 0n);
  expect(penalty * 100n).toBeLessThanOrEqual(actualGasUsed * 2n);
}

describe('prepare', () => {
  it('default: a full setup, then a deposit, then redeems', async () => {
    const owner = wallets.addressOf('flow');
    await local.fund(owner, 1_000_000_000n);
    const first = await wallets.setupOf('flow', { amount: '100' });
    expect(first).toMatchObject({
      operation: 'deposit',
      setupType: 'full',
      strategy: { vaultName: steady.name, expectedAPY: 5, riskScore: 'low' },
      setup: { to: owner, authorization: { contractAddress: local.chain.contracts.account, chainId: 8453 } },
      execution: null,
      intentEnvelope: null,
    });
    expect(first.intentId).toBe(setupTicketId(first.setupTicket));
    const { gasLimit, maxFeePerGas } = first.setup.gas;
    expect(BigInt(gasLimit) * BigInt(maxFeePerGas)).toBeLessThan(5_000_000_000_000_000n);
    const { gasUsed } = await wallets.sendTransaction('flow', first);
    expect(gasUsed * 3n).toBeLessThan(BigInt(gasLimit) * 2n);

    const deposit = await wallets.prepare('flow', { amount: '100' });
    if (deposit.needsSetup) throw new Error('the wallet needs a setup');
    expect(deposit).toMatchObject({
      strategy: { vaultName: steady.name, protocol: 'Local', chain: 'base', tvl: 25_000_000 },
    });
    const { execution } = deposit;
    const { slippage, costs, intentEnvelope, gasQuote } = execution;
    expect(execution.to).toBe(local.chain.entryPoint);
    expect(execution.calldata).toBe(intentEnvelope.userOps[0]?.userOperation.callData);
    expect(deposit.intentId).toBe(intentEnvelope.merkleRoot);
    expect(intentEnvelope.expiry).toBeGreaterThan(Date.now() / 1000 + 500);

    const usdcBefore = await wallets.balance(owner);
    await runFitting('flow', execution);
    const shares = await wallets.balance(owner, steady.vaultAddress);
    expect(shares).toBeGreaterThanOrEqual(BigInt(slippage.minOut));
    const gasPaid = usdcBefore - 100_000_000n - (await wallets.balance(owner));
    expect(gasPaid).toBeGreaterThan(0n);
    expect(gasPaid).toBeLessThanOrEqual(BigInt(gasQuote.maxAmount));
    const { gasUsd, exitGasUsd } = costs;
    expect(gasUsd * 1e6).toBeGreaterThanOrEqual(Number(gasPaid));
    expect(gasUsd * 1e6).toBeLessThan(Number(gasPaid) * 1.3);

    await runFitting('flow', await wallets.executionOf('flow', { amount: '50' }));
    const held = await wallets.balance(owner, steady.vaultAddress);
    await runFitting(
      'flow',
      await wallets.executionOf('flow', { operation: 'redeem', percentage: 12.3456789 }),
    );
    expect(await wallets.balance(owner, steady.vaultAddress)).toBe(
      held - (held * 123_456_789n) / 1_000_000_000n,
    );
    const all = await wallets.executionOf('flow', { operation: 'redeem', percentage: 100 });
    expect(all.costs).toMatchObject({ exitGasUsd: 0, breakEvenDays: null });
    // A first deposit also writes the wallet's new balance of shares.
    expect(exitGasUsd / all.costs.gasUsd).toBeGreaterThan(0.95);
    expect(exitGasUsd / all.costs.gasUsd).toBeLessThan(1.25);
    await runFitting('flow', all);
    expect(await wallets.balance(owner, steady.vaultAddress)).toBe(0n);
  });

  it('default: rebalance into the best vault of the asset', async () => {
    const owner = await wallets.configured('rebalance');
    await wallets.run('rebalance', await wallets.executionOf('rebalance', { amount: '100' }));

    const response = await wallets.prepare('rebalance', { operation: 'rebalance' });
    if (response.needsSetup) throw new Error('the wallet needs a setup');
    expect(response).toMatchObject({
      operation: 'rebalance',
      strategy: { vaultName: faster.name },
      source: { vaultId: steady.vaultId, vaultName: steady.name, tvlUsd: steady.tvlUsd },
      target: { vaultId: faster.vaultId, compositeScore: 90 },
    });
    const { costs, slippage } = response.execution;
    // The target earns no more than the source, so its gain never pays.
    expect(costs).toMatchObject({ exitGasUsd: expect.any(Number) as number, breakEvenDays: null });
    await runFitting('rebalance', response.execution);
    expect(await wallets.balance(owner, steady.vaultAddress)).toBe(0n);
    const shares = await wallets.balance(owner, faster.vaultAddress);
    expect(shares).toBeGreaterThanOrEqual(BigInt(slippage.minOut));
    // The quote of both vaults together is right to a hundredth of a percent.
    const quoted = BigInt(slippage.quotedOut);
    expect(shares * 10_000n).toBeGreaterThan(quoted * 9_999n);
    expect(shares * 9_999n).toBeLessThan(quoted * 10_000n);
  });

  it('behavior: a setup whose initialisation reverted leads to a modules setup', async () => {
    await local.fund(wallets.addressOf('ghost'), 100_000_000n);
    const full = await wallets.setupOf('ghost', { amount: '1' });
    const data = `${full.setup.initCalldata.slice(0, 10)}00` as Hex;
    expect((await sendSetup(local.chain, full, testKey('ghost'), data)).status).toBe('reverted');

    const modules = await wallets.setupOf('ghost', { operation: 'redeem', percentage: 50 });
    expect(modules).toMatchObject({ setupType: 'modules', setup: { authorization: null } });
    await wallets.sendTransaction('ghost', modules);
    await wallets.executionOf('ghost', { amount: '1' });
  });

  it('behavior: removed default modules lead to a modules setup, which restores them', async () => {
    const { validator, executor } = local.chain.contracts;
    const to = await wallets.configured('reduced');
    const { setup } = await wallets.setupOf('newcomer', { amount: '1' });
    for (const [type, module] of [
      [1n, validator],
      [2n, executor],
    ] as const) {
      const call = { abi: yieldVaultAccountAbi, functionName: 'uninstallModule' } as const;
      const removal = encodeFunctionData({ ...call, args: [type, module, '0x'] });
      await wallets.sendTransaction('reduced', { setup: { ...setup, to, authorization: null } }, removal);
    }

    const modules = await wallets.setupOf('reduced', { amount: '1' });
    expect(modules.setupType).toBe('modules');
    const { gasUsed } = await wallets.sendTransaction('reduced', modules);
    expect(gasUsed * 3n).toBeLessThan(BigInt(modules.setup.gas.gasLimit) * 2n);
    await wallets.executionOf('reduced', { amount: '1' });
  });

  it('behavior: a delegation to another implementation is replaced by a full setup', async () => {
    await local.fund(wallets.addressOf('foreign'), 100_000_000n);
    const { setup } = await wallets.setupOf('foreign', { amount: '1' });
    const authorization = { contractAddress: localContracts(8453).validator, chainId: 8453 };
    await sendSetup(local.chain, { setup: { ...setup, authorization } }, testKey('foreign'), '0x');
    const again = await wallets.setupOf('foreign', { amount: '1' });
    expect(again.setupType).toBe('full');
    await wallets.sendTransaction('foreign', again);
    await wallets.executionOf('foreign', { amount: '1' });
  });

  it('behavior: an allowance that is used up leads to a modules setup, a low one is restored on the way', async () => {
    const name = 'allowance';
    const owner = await wallets.configured(name);
    const { paymaster } = local.chain.contracts;
    await wallets.useUsdc(name, 'approve', paymaster, 20_000_000n);
    const restoring = await wallets.executionOf(name, { amount: '5' });
    expect(decodeAccountCall(restoring.calldata)).toEqual([
      expect.objectContaining({ hook: 'deposit' }),
      { hook: 'approve-paymaster', amount: 100_000_000n },
    ]);
    await runFitting(name, restoring);
    expect(await wallets.allowance(owner, paymaster)).toBe(100_000_000n);

    await wallets.useUsdc(name, 'approve', paymaster, 1n);
    expect((await wallets.setupOf(name, { amount: '5' })).setupType).toBe('modules');
    // A setup that allows no more would be asked for again and again.
    const useless = wallets.prepare(name, { amount: '5' }, { paymasterAllowanceUsdc: 1n });
    await expect(useless).rejects.toThrow(UpstreamUnavailableError);
  });

  it('behavior: one request to the node, two to the bundler', async () => {
    await wallets.configured('trips');
    const requests = await recordRequests(() => wallets.prepare('trips', { amount: '5' }));
    const [node] = local.chain.rpcUrls;
    expect(requests.filter(({ origin }) => origin === node)).toHaveLength(1);
    expect(requests).toHaveLength(3);
  });

  it('error: VaultAtCapacityError for more than the room that is left', async () => {
    await wallets.configured('capacity', 10_000_000_000_000n);
    const tooMuch = wallets.prepare('capacity', { vaultId: capped.vaultId, amount: '9000000' });
    await expect(tooMuch).rejects.toMatchObject({
      code: 'VAULT_AT_CAPACITY',
      details: { revertReason: 'ERC4626ExceededMaxDeposit' },
    });
  });

  it('error: InsufficientBalanceError for asset, USDC for gas, and both together', async () => {
    const has = await wallets.balance(await wallets.configured('poor', 20_000_000n));
    for (const amount of ['20', '1'.padEnd(60, '0')]) {
      const { required, gas, missing, ...details } = await wallets.missingOf('poor', { amount });
      expect(BigInt(required) - BigInt(gas)).toBe(parseUnits(amount, 6));
      expect(BigInt(required) - BigInt(missing)).toBe(has);
      const maxAmount = formatUnits(has - BigInt(gas), 6);
      expect(details).toEqual({ token: local.chain.usdc, decimals: 6, available: `${has}`, maxAmount });
    }
    expect(await wallets.missingOf('poor', { vaultId: weth.vaultId, amount: '1' })).toMatchObject({
      token: weth.asset.address,
      maxAmount: null,
    });

    const { maxAmount } = await wallets.missingOf('poor', { amount: '20' });
    await wallets.run('poor', await wallets.executionOf('poor', { amount: maxAmount }));
  });

  it('behavior: InsufficientBalanceError names what is missing at once, of a deposit and of a redeem', async () => {
    const name = 'exact';
    const owner = await wallets.configured(name, 20_000_000n);
    const fundMissing = async (request: Parameters<typeof wallets.prepare>[1]) => {
      await local.fund(owner, BigInt((await wallets.missingOf(name, request)).missing));
      await wallets.run(name, await wallets.executionOf(name, request));
    };
    await fundMissing({ amount: '40' });
    const spare = (await wallets.balance(owner)) - 1_000n;
    await wallets.useUsdc(name, 'transfer', local.chain.contracts.account, spare);
    await fundMissing({ operation: 'redeem', percentage: 100 });
  });

  it('behavior: a wallet that can pay is not refused when the bundler doubles a limit for once', async () => {
    const name = 'doubled';
    const owner = await wallets.configured(name, 20_000_000n);
    const request = { amount: '40' };
    await local.fund(owner, BigInt((await wallets.missingOf(name, request)).missing));
    const bundler = local.chain.bundler!;
    let factor = 20n;
    const estimate: Bundler['estimate'] = async (...operation) => {
      const gas = await bundler.estimate(...operation);
      const callGasLimit = gas.callGasLimit * factor;
      factor = 1n;
      return { ...gas, callGasLimit };
    };
    const chain = { ...local.chain, bundler: { ...bundler, estimate } };
    await wallets.run(name, await wallets.executionOf(name, request, { chain }));
  });

  it('error: InvalidParametersError for a wallet that is a contract', async () => {
    const attempt = wallets.prepare('any', { agentAddress: local.chain.usdc, amount: '1' });
    await expect(attempt).rejects.toThrow(InvalidParametersError);
  });

  it('attack: the price of ether rises after a deposit of everything but the gas was signed', async () => {
    const name = 'rise';
    const owner = await wallets.configured(name, 30_000_000n);
    const { rpc, rpcUrls } = local.chain;
    const feed = { address: chainFacts(8453).wrappedNative.price.feed, abi: localPriceFeedAbi } as const;
    const client = createWalletClient({ account: testAccount(name), transport: http(rpcUrls[0]) });
    const setPrice = async (answer: bigint) => {
      const call = {
        ...feed,
        chain: null,
        functionName: 'setAnswer',
        args: [answer],
        gas: 200_000n,
      } as const;
      await rpc.waitForTransactionReceipt({ hash: await client.writeContract(call) });
    };
    const { gasQuote } = await wallets.executionOf(name, { amount: '10' });
    const all = (await wallets.balance(owner)) - (BigInt(gasQuote.maxAmount) * 101n) / 100n;
    const deposit = await wallets.executionOf(name, { amount: formatUnits(all, 6) });
    const price = await rpc.readContract({ ...feed, functionName: 'latestAnswer' });
    await setPrice((price * 1019n) / 1000n);
    await wallets.run(name, deposit).finally(() => setPrice(price));
  });
});
