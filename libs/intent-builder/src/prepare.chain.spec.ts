import type { Bundler, SendOutcome } from '@yield-vault/chains';
import { chainFacts, localContracts, yieldVaultAccountAbi } from '@yield-vault/contracts';
import {
  fromWireUserOperation,
  InvalidParametersError,
  setupTicketId,
  totalGasLimit,
  type Eip7702Auth,
  type Execution,
  type SetupBlock,
  type SetupType,
} from '@yield-vault/protocol';
import { encodeIntentSignature } from '@yield-vault/smart-account';
import { buildIntentEnvelope, recordRequests, signIntent, testAccount, testKey } from '@yield-vault/testing';
import { localPriceFeedAbi, setLocalUsdcBalance } from '@yield-vault/testing/local';
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

/** Let the bundler say what `preVerificationGas` it requires: the signed figure is no less, and at most 13 % more. */
async function expectRequired(name: string, { intentEnvelope }: Execution): Promise<void> {
  const { chain } = local;
  const { userOperation, eip7702Auth } = intentEnvelope.userOps[0]!;
  const prepared = fromWireUserOperation(userOperation);
  const authorization = eip7702Auth as Eip7702Auth | undefined;
  const operation = { ...prepared, ...(authorization && { authorization }), preVerificationGas: 1n };
  const { signing } = buildIntentEnvelope({ ...chain, ...chain.contracts, ...intentEnvelope, operation });
  const signature = await signIntent(signing, testKey(name));
  const packed = encodeIntentSignature({ ...intentEnvelope, signature, proof: [] });
  const sent = await chain.bundler!.send({ ...operation, signature: packed });
  const { message } = (sent as Extract<SendOutcome, { outcome: 'refused' }>).rejection;
  const required = BigInt(/required: (\d+)/.exec(message)![1]!);
  expect(prepared.preVerificationGas).toBeGreaterThanOrEqual(required);
  expect(prepared.preVerificationGas * 100n).toBeLessThan(required * 113n);
}

describe('prepare', () => {
  it('default: a full setup, then a deposit, then redeems', async () => {
    const owner = wallets.addressOf('flow');
    await local.fund(owner, 1_000_000_000n);
    const first = await wallets.setupOf('flow', { amount: '100' });
    expect(first.setup.initCalldata).toBe('0x');
    expect(first).toMatchObject({
      operation: 'deposit',
      setupType: 'full',
      strategy: {
        vaultName: steady.name,
        expectedAPY: 5,
        riskScore: 'low',
        apyNow: 5,
        riskLevel: 'low',
      },
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
    const { paymaster } = local.chain.contracts;
    const before = await wallets.balance(paymaster);
    await runFitting('flow', all);
    const chargedUsd = Number((await wallets.balance(paymaster)) - before) / 1e6;
    expect(Math.abs(exitGasUsd / chargedUsd - 1)).toBeLessThan(0.15);
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

  it('behavior: removed default modules are restored by a modules setup, and by a full one of a wallet that left', async () => {
    const { validator, executor } = local.chain.contracts;
    const to = await wallets.configured('reduced');
    const { setup } = await wallets.setupOf('newcomer', { amount: '1' });
    const toSelf = (data: Hex, authorization: SetupBlock['authorization'] = null) => {
      const call = { ...setup, to, authorization, gas: { ...setup.gas, gasLimit: '150000' } };
      return sendSetup(local.chain, { setup: call }, testKey('reduced'), data);
    };
    const remove = async () => {
      for (const [type, module] of [
        [1n, validator],
        [2n, executor],
      ] as const) {
        const call = { abi: yieldVaultAccountAbi, functionName: 'uninstallModule' } as const;
        await toSelf(encodeFunctionData({ ...call, args: [type, module, '0x'] }));
      }
    };
    const restore = async (setupType: SetupType) => {
      const restoring = await wallets.setupOf('reduced', { operation: 'redeem', percentage: 50 });
      expect(restoring.setupType).toBe(setupType);
      const { gasUsed } = await wallets.sendTransaction('reduced', restoring);
      expect(gasUsed * 3n).toBeLessThan(BigInt(restoring.setup.gas.gasLimit) * 2n);
      await wallets.executionOf('reduced', { amount: '1' });
    };
    await remove();
    await restore('modules');
    await remove();
    await toSelf('0x', { contractAddress: validator, chainId: 8453 });
    await restore('full');
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

  it('behavior: the first payment to a paymaster without USDC fits too', async () => {
    const { rpc, contracts } = local.chain;
    await wallets.configured('payer');
    const execution = await wallets.executionOf('payer', { amount: '5' });
    const node = { request: (call: object) => rpc.request(call as never) };
    await setLocalUsdcBalance(node, 8453, contracts.paymaster, 0n);
    await wallets.run('payer', execution);
  });

  it('behavior: preVerificationGas is what the bundler requires, for each kind of operation', async () => {
    const name = 'required';
    await local.fund(wallets.addressOf(name), 100_000_000n);
    const first = await wallets.gaslessDeposit(name, '5');
    await expectRequired(name, first);
    await wallets.run(name, first);
    for (const request of [
      { amount: '5' },
      { operation: 'redeem', percentage: 50 },
      { operation: 'rebalance' },
    ] as const)
      await expectRequired(name, await wallets.executionOf(name, request));
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

  it('error: InsufficientBalanceError for asset, USDC for gas, and both together; its maxAmount can leave again', async () => {
    const has = await wallets.balance(await wallets.configured('poor', 20_000_000n));
    for (const amount of ['20', '1'.padEnd(60, '0')]) {
      const { required, gas, missing, exitReserve, ...details } = await wallets.missingOf('poor', { amount });
      expect(BigInt(required) - BigInt(gas)).toBe(parseUnits(amount, 6));
      expect(BigInt(required) - BigInt(missing)).toBe(has);
      const maxAmount = formatUnits(has - BigInt(gas) - BigInt(exitReserve), 6);
      expect(details).toEqual({ token: local.chain.usdc, decimals: 6, available: `${has}`, maxAmount });
    }
    expect(await wallets.missingOf('poor', { vaultId: weth.vaultId, amount: '1' })).toMatchObject({
      token: weth.asset.address,
      maxAmount: null,
    });

    const { maxAmount } = await wallets.missingOf('poor', { amount: '20' });
    const all = await wallets.executionOf('poor', { amount: maxAmount });
    expect(all.warnings).toEqual([]);
    await wallets.run('poor', all);
    await wallets.run('poor', await wallets.executionOf('poor', { operation: 'redeem', percentage: 100 }));
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
