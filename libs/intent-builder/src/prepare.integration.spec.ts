import {
  encodeAbiParameters,
  erc20Abi,
  formatUnits,
  keccak256,
  numberToHex,
  type Address,
  type Hex,
} from 'viem';
import type { Bundler } from '@yield-vault/chains';
import {
  canonical,
  contractAddresses,
  paymasterCharge,
  usdcPaymasterAbi,
  yieldVaultAccountAbi,
} from '@yield-vault/contracts';
import { localPriceFeedAbi, localUsdcAbi } from '@yield-vault/testing/local';
import {
  InsufficientBalanceError,
  InvalidParametersError,
  PreflightSimulationError,
  setupTicketId,
  UpstreamUnavailableError,
  VaultAtCapacityError,
  type Execution,
  type RankedVault,
  type PrepareRequest,
  type PrepareResponse,
  type PrepareSetupResponse,
} from '@yield-vault/protocol';
import { decodeAccountCall } from '@yield-vault/smart-account';
import { recordRequests, signIntent, testKey } from '@yield-vault/testing';
import { Wallet } from 'ethers';
import { createWalletClient, encodeFunctionData, http, parseUnits } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { buildCatalogue, listLocalVault } from '../test/build-catalogue.js';
import { options } from '../test/build-request.js';
import {
  localVault,
  sendSetup,
  startLocalDeployment,
  submit,
  type LocalDeployment,
} from '../test/local-deployment.js';
import { createIntentBuilder } from './prepare.js';

const scores = (balanced: number) => ({ maximize_apy: 1, minimize_risk: 1, balanced });
const steady = listLocalVault(localVault('steady'), { compositeScores: scores(50) });
const faster = listLocalVault(localVault('faster'), { compositeScores: scores(90) });
const zeroLimit = listLocalVault(localVault('zero-limit'), { compositeScores: scores(40) });
const capped = listLocalVault(localVault('capped'), { compositeScores: scores(30) });
const paused = listLocalVault(localVault('paused'), { compositeScores: scores(20) });
const exitFee = listLocalVault(localVault('exit-fee'), { compositeScores: scores(10) });
const weth = listLocalVault(localVault('steady', 'WETH'));
const vaults = [faster, steady, zeroLimit, capped, paused, exitFee, weth];
let local: LocalDeployment;
const build = (overrides: Partial<typeof options> = {}, chains = local.chains) =>
  createIntentBuilder({
    chains,
    vaults: buildCatalogue(vaults),
    options: { ...options, ...overrides },
  });

beforeAll(async () => {
  local = await startLocalDeployment();
}, 120_000);
afterAll(() => local.stop());

const key = (name: string): Hex => testKey(`intent-builder ${name}`);
const addressOf = (name: string) => privateKeyToAccount(key(name)).address;

function prepare(
  name: string,
  vault: RankedVault,
  request: Partial<PrepareRequest>,
  overrides = {},
  chains = local.chains,
) {
  const operation = request.operation ?? 'deposit';
  return build(overrides, chains).prepare({
    operation,
    chain: 'base',
    agentAddress: addressOf(name),
    vaultId: vault.vaultId,
    ...(operation === 'deposit' ? { asset: vault.asset.symbol } : {}),
    ...request,
  });
}
const execution = (response: PrepareResponse): Execution => {
  if (response.needsSetup) throw new Error('the wallet needs a setup');
  return response.execution;
};
const setup = (response: PrepareResponse): PrepareSetupResponse => {
  if (!response.needsSetup) throw new Error('the wallet needs no setup');
  return response;
};

/** A wallet with modules, allowance and USDC. */
async function configured(name: string, usdc = 1_000_000_000n): Promise<Address> {
  await local.fund(addressOf(name), usdc);
  const response = setup(await prepare(name, steady, { amount: '1' }));
  const receipt = await sendSetup(local.chain, response, key(name));
  expect(receipt.status).toBe('success');
  return addressOf(name);
}
/** Take USDC away from a wallet. */
async function leave(name: string, usdc: bigint): Promise<void> {
  const { rpc, rpcUrls, usdc: address } = local.chain;
  const args = [local.chain.contracts.account, (await balance(address, addressOf(name))) - usdc] as const;
  const client = createWalletClient({
    account: privateKeyToAccount(key(name)),
    transport: http(rpcUrls[0]),
  });
  const call = { chain: null, address, abi: erc20Abi, functionName: 'transfer', args } as const;
  await rpc.waitForTransactionReceipt({ hash: await client.writeContract(call) });
}
const balance = (token: Address, owner: Address) =>
  local.chain.rpc.readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [owner] });
const signWithViem = (name: string, { intentEnvelope }: Execution) =>
  signIntent(intentEnvelope.signing, key(name));
const signWithEthers = async (name: string, { intentEnvelope }: Execution): Promise<Hex> => {
  const { domain, types, message } = intentEnvelope.signing;
  return (await new Wallet(key(name)).signTypedData(domain, { Intent: [...types.Intent] }, message)) as Hex;
};

describe('prepare', () => {
  it('default: a full setup, then a deposit signed by viem, then redeems signed by ethers', async () => {
    const owner = addressOf('flow');
    await local.fund(owner, 1_000_000_000n);
    const first = setup(await prepare('flow', steady, { amount: '100' }));
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
    const receipt = await sendSetup(local.chain, first, key('flow'));
    expect(receipt.status).toBe('success');
    expect(receipt.gasUsed * 3n).toBeLessThan(BigInt(gasLimit) * 2n);

    const deposit = await prepare('flow', steady, { amount: '100' });
    expect(deposit).toMatchObject({
      needsSetup: false,
      strategy: { vaultName: steady.name, protocol: 'Local', chain: 'base', tvl: 25_000_000 },
    });
    const deposited = execution(deposit);
    expect(deposited.to).toBe(local.chain.entryPoint);
    expect(deposited.calldata).toBe(deposited.intentEnvelope.userOps[0]?.userOperation.callData);
    expect(deposit.intentId).toBe(deposited.intentEnvelope.merkleRoot);
    expect(deposited.intentEnvelope.expiry).toBeGreaterThan(Date.now() / 1000 + 500);

    const usdcBefore = await balance(local.chain.usdc, owner);
    const included = await submit(local.chain, deposited, await signWithViem('flow', deposited));
    expect(included.success).toBe(true);
    const shares = await balance(steady.vaultAddress, owner);
    expect(shares).toBeGreaterThanOrEqual(BigInt(deposited.slippage.minOut));
    const gasPaid = usdcBefore - 100_000_000n - (await balance(local.chain.usdc, owner));
    expect(gasPaid).toBeGreaterThan(0n);
    expect(gasPaid).toBeLessThanOrEqual(BigInt(deposited.gasQuote.maxAmount));
    const { gasUsd, exitGasUsd, breakEvenDays } = deposited.costs;
    expect(gasUsd * 1e6).toBeGreaterThanOrEqual(Number(gasPaid));
    expect(gasUsd * 1e6).toBeLessThan(Number(gasPaid) * 1.3);
    const earned = (days: number) => 100 * (1 + steady.apy.month / 100) ** (days / 365) - 100;
    expect(earned(breakEvenDays! * 0.999)).toBeLessThan(gasUsd + exitGasUsd);
    expect(earned(breakEvenDays! * 1.001)).toBeGreaterThan(gasUsd + exitGasUsd);

    const half = execution(await prepare('flow', steady, { operation: 'redeem', percentage: 50 }));
    expect((await submit(local.chain, half, await signWithEthers('flow', half))).success).toBe(true);
    expect(await balance(steady.vaultAddress, owner)).toBe(shares - shares / 2n);

    const held = await balance(steady.vaultAddress, owner);
    const fraction = execution(
      await prepare('flow', steady, { operation: 'redeem', percentage: 12.3456789 }),
    );
    expect((await submit(local.chain, fraction, await signWithEthers('flow', fraction))).success).toBe(true);
    expect(await balance(steady.vaultAddress, owner)).toBe(held - (held * 123_456_789n) / 1_000_000_000n);

    const some = execution(await prepare('flow', steady, { operation: 'redeem', shares: '1000000' }));
    expect((await submit(local.chain, some, await signWithEthers('flow', some))).success).toBe(true);

    const all = execution(await prepare('flow', steady, { operation: 'redeem', percentage: 100 }));
    expect(all.costs).toMatchObject({ exitGasUsd: 0, breakEvenDays: null });
    // A first deposit also writes the wallet's new balance of shares.
    expect(exitGasUsd / all.costs.gasUsd).toBeGreaterThan(0.95);
    expect(exitGasUsd / all.costs.gasUsd).toBeLessThan(1.25);
    expect(half.costs.exitGasUsd / all.costs.gasUsd).toBeCloseTo(1, 1);
    expect((await submit(local.chain, all, await signWithEthers('flow', all))).success).toBe(true);
    expect(await balance(steady.vaultAddress, owner)).toBe(0n);
  }, 60_000);

  it('default: rebalance into the best vault of the asset', async () => {
    const owner = await configured('rebalance');
    const deposit = execution(await prepare('rebalance', steady, { amount: '100' }));
    await submit(local.chain, deposit, await signWithViem('rebalance', deposit));

    const response = await prepare('rebalance', steady, { operation: 'rebalance' });
    expect(response).toMatchObject({
      operation: 'rebalance',
      strategy: { vaultName: faster.name },
      source: { vaultId: steady.vaultId, vaultName: steady.name, tvlUsd: steady.tvlUsd },
      target: { vaultId: faster.vaultId, compositeScore: 90 },
    });
    const moved = execution(response);
    // The target earns no more than the source, so its gain never pays.
    expect(moved.costs).toMatchObject({ exitGasUsd: expect.any(Number) as number, breakEvenDays: null });
    expect((await submit(local.chain, moved, await signWithViem('rebalance', moved))).success).toBe(true);
    expect(await balance(steady.vaultAddress, owner)).toBe(0n);
    const shares = await balance(faster.vaultAddress, owner);
    expect(shares).toBeGreaterThanOrEqual(BigInt(moved.slippage.minOut));
    // The quote of both vaults together is right to a hundredth of a percent.
    const quoted = BigInt(moved.slippage.quotedOut);
    expect(shares * 10_000n).toBeGreaterThan(quoted * 9_999n);
    expect(shares * 9_999n).toBeLessThan(quoted * 10_000n);
  }, 60_000);

  it('behavior: a setup whose initialisation reverted leads to a modules setup', async () => {
    await local.fund(addressOf('ghost'), 100_000_000n);
    const full = setup(await prepare('ghost', steady, { amount: '1' }));
    const broken = await sendSetup(
      local.chain,
      full,
      key('ghost'),
      `${full.setup.initCalldata.slice(0, 10)}00` as Hex,
    );
    expect(broken.status).toBe('reverted');

    const modules = setup(await prepare('ghost', steady, { operation: 'redeem', percentage: 50 }));
    expect(modules).toMatchObject({ setupType: 'modules', setup: { authorization: null } });
    expect((await sendSetup(local.chain, modules, key('ghost'))).status).toBe('success');
    expect((await prepare('ghost', steady, { amount: '1' })).needsSetup).toBe(false);
  }, 30_000);

  it('behavior: removed default modules lead to a modules setup, which restores them', async () => {
    const { contracts } = local.chain;
    await configured('reduced');
    const { setup: last } = setup(await prepare('newcomer', steady, { amount: '1' }));
    for (const [type, module] of [
      [1n, contracts.validator],
      [2n, contracts.executor],
    ] as const) {
      const args = [type, module, '0x'] as const;
      const removal = encodeFunctionData({
        abi: yieldVaultAccountAbi,
        functionName: 'uninstallModule',
        args,
      });
      const toSelf = { setup: { ...last, to: addressOf('reduced'), authorization: null } };
      expect((await sendSetup(local.chain, toSelf, key('reduced'), removal)).status).toBe('success');
    }

    const modules = setup(await prepare('reduced', steady, { amount: '1' }));
    expect(modules.setupType).toBe('modules');
    const receipt = await sendSetup(local.chain, modules, key('reduced'));
    expect(receipt.status).toBe('success');
    expect(receipt.gasUsed * 3n).toBeLessThan(BigInt(modules.setup.gas.gasLimit) * 2n);
    expect((await prepare('reduced', steady, { amount: '1' })).needsSetup).toBe(false);
  }, 30_000);

  it.each([
    ['another implementation', contractAddresses().validator],
    ['an address without code', '0x00000000000000000000000000000000000000fe'],
  ] as const)(
    'behavior: a delegation to %s is replaced by a full setup',
    async (name, contractAddress) => {
      await local.fund(addressOf(name), 100_000_000n);
      const first = setup(await prepare(name, steady, { amount: '1' }));
      const foreign = { setup: { ...first.setup, authorization: { contractAddress, chainId: 8453 } } };
      await sendSetup(local.chain, foreign, key(name), '0x');
      const again = setup(await prepare(name, steady, { amount: '1' }));
      expect(again.setupType).toBe('full');
      expect((await sendSetup(local.chain, again, key(name))).status).toBe('success');
      expect((await prepare(name, steady, { amount: '1' })).needsSetup).toBe(false);
    },
    30_000,
  );

  it('behavior: an allowance that is used up leads to a modules setup, a low one is restored on the way', async () => {
    const name = 'allowance';
    const owner = await configured(name);
    const client = createWalletClient({
      account: privateKeyToAccount(key(name)),
      transport: http(local.chain.rpcUrls[0]),
    });
    const allow = async (amount: bigint) => {
      const args = [local.chain.contracts.paymaster, amount] as const;
      const hash = await client.writeContract({
        chain: null,
        address: local.chain.usdc,
        abi: erc20Abi,
        functionName: 'approve',
        args,
      });
      await local.chain.rpc.waitForTransactionReceipt({ hash });
    };
    await allow(20_000_000n);
    const restoring = execution(await prepare(name, steady, { amount: '5' }));
    expect(decodeAccountCall(restoring.calldata)).toEqual([
      expect.objectContaining({ hook: 'deposit' }),
      { hook: 'approve-paymaster', amount: 100_000_000n },
    ]);
    expect((await submit(local.chain, restoring, await signWithViem(name, restoring))).success).toBe(true);
    const args = [owner, local.chain.contracts.paymaster] as const;
    expect(
      await local.chain.rpc.readContract({
        address: local.chain.usdc,
        abi: localUsdcAbi,
        functionName: 'allowance',
        args,
      }),
    ).toBe(100_000_000n);

    await allow(1n);
    expect(setup(await prepare(name, steady, { amount: '5' })).setupType).toBe('modules');
    // A setup that allows no more would be asked for again and again.
    await expect(prepare(name, steady, { amount: '5' }, { paymasterAllowanceUsdc: 1n })).rejects.toThrow(
      UpstreamUnavailableError,
    );
  }, 30_000);

  it('behavior: a vault whose limits are all zero is open; a vault with capacity accepts amounts up to it', async () => {
    await configured('limits');
    const open = execution(await prepare('limits', zeroLimit, { amount: '100' }));
    expect((await submit(local.chain, open, await signWithViem('limits', open))).success).toBe(true);
    const left = execution(await prepare('limits', zeroLimit, { operation: 'redeem', percentage: 100 }));
    expect((await submit(local.chain, left, await signWithViem('limits', left))).success).toBe(true);
    expect((await prepare('limits', capped, { amount: '1' })).needsSetup).toBe(false);
  }, 30_000);

  it('behavior: an exit fee is part of the quote', async () => {
    await configured('fee');
    const deposit = execution(await prepare('fee', exitFee, { amount: '100' }));
    await submit(local.chain, deposit, await signWithViem('fee', deposit));
    const redeem = execution(await prepare('fee', exitFee, { operation: 'redeem', percentage: 100 }));
    expect(BigInt(redeem.slippage.quotedOut)).toBeLessThan(100_000_000n - 90_000n);
    expect((await submit(local.chain, redeem, await signWithViem('fee', redeem))).success).toBe(true);
  }, 30_000);

  it('behavior: one request to the node, two to the bundler', async () => {
    await configured('trips');
    const requests = await recordRequests(() => prepare('trips', steady, { amount: '5' }));
    const [node] = local.chain.rpcUrls;
    expect(requests.filter(({ origin }) => origin === node)).toHaveLength(1);
    expect(requests).toHaveLength(3);
  }, 30_000);

  it('error: VaultAtCapacityError for more than the room that is left, and for a paused vault', async () => {
    await configured('capacity', 10_000_000_000_000n);
    const tooMuch = prepare('capacity', capped, { amount: '9000000' });
    await expect(tooMuch).rejects.toThrow(VaultAtCapacityError);
    await expect(tooMuch).rejects.toMatchObject({ details: { revertReason: 'ERC4626ExceededMaxDeposit' } });
    const closed = prepare('capacity', paused, { amount: '1' });
    await expect(closed).rejects.toThrow(VaultAtCapacityError);
    await expect(closed).rejects.toMatchObject({ details: { revertReason: 'EnforcedPause' } });
  }, 30_000);

  it('error: InsufficientBalanceError for asset, shares, USDC for gas, and both together', async () => {
    const owner = await configured('poor', 20_000_000n);
    const has = await balance(local.chain.usdc, owner);
    const refused = async (attempt: Promise<unknown>) => {
      const error: unknown = await attempt.catch((e: unknown) => e);
      expect(error).toBeInstanceOf(InsufficientBalanceError);
      return (error as InsufficientBalanceError).details as Record<
        'required' | 'available' | 'missing' | 'gas' | 'token' | 'maxAmount',
        string
      >;
    };
    for (const amount of ['20', '20.000001', '1'.padEnd(60, '0')]) {
      const { required, gas, missing, ...details } = await refused(prepare('poor', steady, { amount }));
      expect(BigInt(required) - BigInt(gas)).toBe(parseUnits(amount, 6));
      expect(BigInt(required) - BigInt(missing)).toBe(has);
      const maxAmount = formatUnits(has - BigInt(gas), 6);
      expect(details).toEqual({ token: local.chain.usdc, decimals: 6, available: `${has}`, maxAmount });
    }
    expect(await refused(prepare('poor', weth, { amount: '1' }))).toMatchObject({
      token: weth.asset.address,
      maxAmount: null,
    });
    expect(await refused(prepare('poor', steady, { operation: 'redeem', shares: '5' }))).toMatchObject({
      required: '5',
      available: '0',
      missing: '5',
      token: steady.vaultAddress,
    });
    expect(await refused(prepare('poor', steady, { operation: 'redeem', percentage: 100 }))).toMatchObject({
      required: '1',
    });
    expect(await refused(prepare('poor', steady, { operation: 'rebalance' }))).toMatchObject({
      available: '0',
    });

    const { maxAmount } = await refused(prepare('poor', steady, { amount: '20' }));
    const most = execution(await prepare('poor', steady, { amount: maxAmount }));
    expect((await submit(local.chain, most, await signWithViem('poor', most))).success).toBe(true);
  }, 30_000);

  it('behavior: InsufficientBalanceError names what is missing at once, of a deposit and of a redeem', async () => {
    const name = 'exact';
    const owner = await configured(name, 20_000_000n);
    const missingOf = async (request: Partial<PrepareRequest>) => {
      const error: unknown = await prepare(name, steady, request).catch((e: unknown) => e);
      if (!(error instanceof InsufficientBalanceError)) throw error;
      return BigInt((error.details as { missing: string }).missing);
    };
    const request = { amount: '40' };
    await local.fund(owner, await missingOf(request));
    const deposit = execution(await prepare(name, steady, request));
    expect((await submit(local.chain, deposit, await signWithViem(name, deposit))).success).toBe(true);

    await leave(name, 1_000n);
    const redeem = { operation: 'redeem', percentage: 100 } as const;
    await local.fund(owner, await missingOf(redeem));
    const left = execution(await prepare(name, steady, redeem));
    expect((await submit(local.chain, left, await signWithViem(name, left))).success).toBe(true);
  }, 30_000);

  it('behavior: a wallet that can pay is not refused when the bundler doubles a limit for once', async () => {
    const name = 'doubled';
    const owner = await configured(name, 20_000_000n);
    const request = { amount: '40' };
    const error: unknown = await prepare(name, steady, request).catch((e: unknown) => e);
    await local.fund(
      owner,
      BigInt(((error as InsufficientBalanceError).details as { missing: string }).missing),
    );
    const { bundler } = local.chain;
    let factor = 20n;
    const estimate: Bundler['estimate'] = async (...operation) => {
      const gas = await bundler!.estimate(...operation);
      const callGasLimit = gas.callGasLimit * factor;
      factor = 1n;
      return { ...gas, callGasLimit };
    };
    const chain = { ...local.chain, bundler: { ...bundler!, estimate } };
    const chains = { ...local.chains, require: () => chain };
    const deposit = execution(await prepare(name, steady, request, {}, chains));
    expect((await submit(local.chain, deposit, await signWithViem(name, deposit))).success).toBe(true);
  }, 30_000);

  it('behavior: maxAmount and missing still hold after two minutes of full blocks', async () => {
    const name = 'surge';
    const owner = await configured(name, 20_000_000n);
    const setBaseFee = async (wei: bigint) => {
      const { rpc } = local.chain;
      await rpc.request({ method: 'anvil_setNextBlockBaseFeePerGas', params: [numberToHex(wei)] } as never);
      await rpc.request({ method: 'anvil_mine', params: [] } as never);
    };
    const refusal = async (amount: string) => {
      const error: unknown = await prepare(name, steady, { amount }).catch((e: unknown) => e);
      if (!(error instanceof InsufficientBalanceError)) throw error;
      return error.details as { maxAmount: string; missing: string };
    };
    const low = 10n ** 9n;
    await setBaseFee(low);
    const [{ maxAmount }, { missing }] = [await refusal('20'), await refusal('30')];
    await setBaseFee((low * 325n) / 100n);
    const most = execution(await prepare(name, steady, { amount: maxAmount }));
    await local.fund(owner, BigInt(missing));
    const other = execution(await prepare(name, steady, { amount: '30' }));
    await setBaseFee(30_000n);
    expect(Number(most.gasQuote.maxAmount)).toBeGreaterThan(5_000_000);
    expect((await submit(local.chain, other, await signWithViem(name, other))).success).toBe(true);
  }, 30_000);

  it('error: PreflightSimulationError for a redeem that would revert', async () => {
    const owner = await configured('stuck');
    // Shares that were there before the vault was paused.
    const holder = paused.vaultAddress;
    const slot = keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [owner, 0n]));
    await local.chain.rpc.request({
      method: 'anvil_setStorageAt',
      params: [holder, slot, numberToHex(10n ** 18n, { size: 32 })],
    } as never);
    expect(await balance(holder, owner)).toBe(10n ** 18n);
    const attempt = prepare('stuck', paused, { operation: 'redeem', percentage: 100 });
    await expect(attempt).rejects.toThrow(PreflightSimulationError);
    await expect(attempt).rejects.toMatchObject({ details: { revertReason: 'EnforcedPause' } });
  }, 30_000);

  it('error: InvalidParametersError for a wallet that is a contract', async () => {
    const request = {
      operation: 'deposit',
      chain: 'base',
      vaultId: steady.vaultId,
      asset: 'USDC',
      amount: '1',
    } as const;
    await expect(build().prepare({ ...request, agentAddress: local.chain.usdc })).rejects.toThrow(
      InvalidParametersError,
    );
  });

  it('attack: the price of ether rises after a deposit of everything but the gas was signed', async () => {
    const name = 'rise';
    const owner = await configured(name, 30_000_000n);
    const { rpc, rpcUrls, usdc } = local.chain;
    const feed = { address: canonical.ethUsdFeed[8453], abi: localPriceFeedAbi } as const;
    const client = createWalletClient({
      account: privateKeyToAccount(key(name)),
      transport: http(rpcUrls[0]),
    });
    const setPrice = async (answer: bigint) => {
      const hash = await client.writeContract({
        ...feed,
        chain: null,
        functionName: 'setAnswer',
        args: [answer],
        gas: 200_000n,
      });
      await rpc.waitForTransactionReceipt({ hash });
    };
    const { gasQuote } = execution(await prepare(name, steady, { amount: '10' }));
    const all = (await balance(usdc, owner)) - (BigInt(gasQuote.maxAmount) * 101n) / 100n;
    const deposit = execution(await prepare(name, steady, { amount: formatUnits(all, 6) }));
    const price = await rpc.readContract({ ...feed, functionName: 'latestAnswer' });
    await setPrice((price * 1019n) / 1000n);
    const { success } = await submit(local.chain, deposit, await signWithViem(name, deposit));
    await setPrice(price);
    expect(success).toBe(true);
  }, 30_000);

  it('behavior: the budget is the paymaster’s own quote plus 2 % for a higher price', async () => {
    await configured('quote');
    const { gasQuote, intentEnvelope, estimatedGas } = execution(
      await prepare('quote', steady, { amount: '5' }),
    );
    const { userOperation } = intentEnvelope.userOps[0]!;
    const gas = BigInt(estimatedGas);
    const postOpGas = BigInt(`0x${userOperation.paymasterAndData!.slice(2 + 72, 2 + 104)}`);
    const feePerGas = BigInt(userOperation.maxFeePerGas!);
    const [tokenPerNative] = await local.chain.rpc.readContract({
      address: local.chain.contracts.paymaster,
      abi: usdcPaymasterAbi,
      functionName: 'tokenPerNative',
    });
    const prefund = paymasterCharge({ tokenPerNative, gas, feePerGas, postOpGasLimit: postOpGas });
    expect(BigInt(gasQuote.maxAmount) - (prefund * 102n) / 100n).toBeLessThanOrEqual(1n);
    expect(BigInt(gasQuote.maxAmount)).toBeGreaterThanOrEqual((prefund * 102n) / 100n);
  }, 30_000);
});
