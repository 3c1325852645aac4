import { BundlerRejection, type UserOperationGas } from '@yield-vault/chains';
import { paymasterRefreshGas } from '@yield-vault/contracts';
import {
  UpstreamUnavailableError,
  type UserOperation,
  minimumOut,
  PreflightSimulationError,
  VaultAtCapacityError,
  TransactionSubmissionError,
} from '@yield-vault/protocol';
import { decodeAccountCall, decodeIntentSignature, stubIntentSignature } from '@yield-vault/smart-account';
import { buildRankedVault } from '@yield-vault/testing';
import fc from 'fast-check';
import { encodeErrorResult, parseAbi, toFunctionSelector, zeroAddress, type Hex } from 'viem';
import {
  buildBundler,
  buildRequest,
  buildSnapshot,
  buildTerms,
  nowMs,
  options,
  paymaster,
  buildDepositVault,
} from '../test/build-request.js';
import { AllowanceTooLowError, explainRejection } from './errors.js';
import { loneBundleGas } from './gas/limits.js';
import { estimateOperation, sharesAtExpiry, buildHooks, type Quotes, takeQuotes } from './operation.js';
import { allowancePaymaster } from './paymasters/paymaster.js';
import type { CheckedRequest, WalletSnapshot } from './types.js';
import type { Paymaster } from './paymasters/types.js';
import { expectThrown, expectUnavailable } from '../test/expect-error.js';

const now = nowMs / 1000;

const estimate = (snapshot: WalletSnapshot, overrides = {}, by = paymaster) =>
  estimateOperation(
    buildRequest(),
    snapshot,
    { redeemed: 0n, deposited: 24n * 10n ** 18n },
    by,
    { ...options, ...overrides },
    nowMs,
  );

const validUntil = (time: number) => buildSnapshot({ paymaster: buildTerms({ validUntil: time }) });
const vault = buildRankedVault();
const target = buildRankedVault({ vaultAddress: '0x4000000000000000000000000000000000000004' });
const token = vault.asset.address;

const build = (parts: Partial<CheckedRequest>, quotes: Partial<Quotes> = {}) =>
  buildHooks(
    buildRequest({ vault, ...parts }),
    buildSnapshot(),
    { redeemed: 2_000n, deposited: 1_000n, ...quotes },
    600,
    options,
  );

const still = { now: 0, week: 0, month: 0 };
const yearSeconds = 31_536_000;
const redeemed = { value: 25_000_000n };
const paused = { revertReason: 'EnforcedPause' };
const redeem = buildRequest({ operation: 'redeem', amount: { percentage: 50 } });
const rebalance = buildRequest({ operation: 'rebalance', target });

describe('estimateOperation', () => {
  it('default: the final operation differs from the estimated one only by limits and signature', async () => {
    const seen: UserOperation[] = [];
    const bare = buildBundler();
    const bundler = buildBundler({
      estimate: (userOp) => {
        seen.push(userOp);
        return bare.estimate(userOp);
      },
    });
    const { operation, quoted, window } = await estimate(buildSnapshot({ bundler }));
    const [draft] = seen;
    expect(draft!.callData).toBe(operation.callData);
    expect(decodeAccountCall(operation.callData)).toEqual(quoted.hooks);
    expect(quoted).toMatchObject({ quotedOut: 24n * 10n ** 18n, minOut: 23_879_975_616_069_671_422n });
    expect(draft!.paymasterPostOpGasLimit).toBe(buildTerms().smallestPostOpGas);
    expect(decodeIntentSignature(draft!.signature).expiry).toBe(window.expiry);
    expect(operation).toMatchObject({
      nonce: 3n,
      signature: '0x',
      paymaster: buildRequest().chain.contracts.paymaster,
      maxFeePerGas: 1_250_000_000n,
      maxPriorityFeePerGas: 1_000_000n,
      // 14,000 less for a call that moves the USDC of the payment before it, and 20,000 for this payment.
      callGasLimit: 111_800n,
      verificationGasLimit: 60_000n,
      paymasterVerificationGasLimit: 115_000n,
      paymasterPostOpGasLimit: 40_000n,
    });
  });

  it('behavior: the intent never outlives the price of the paymaster', async () => {
    expect((await estimate(validUntil(now + 3_600))).window).toEqual({ expiry: now + 600, validAfter: 0 });
    expect((await estimate(validUntil(now + 90))).window.expiry).toBe(now + 90);
  });

  /** The limits that follow from another estimate. */
  const limitsFor = async (changes: Partial<UserOperationGas>, by = paymaster) => {
    const bare = await buildBundler().estimate({} as never);
    const bundler = buildBundler({ estimate: () => Promise.resolve({ ...bare, ...changes }) });
    return (await estimate(buildSnapshot({ bundler }), {}, by)).operation;
  };

  it('behavior: call gas gets 30 % more, and at most 32,000, because the entry point charges for more', async () => {
    const callGas = async (gas: bigint) => (await limitsFor({ callGasLimit: 14_000n + gas })).callGasLimit;
    expect(await callGas(100_000n)).toBe(130_000n);
    expect(await callGas(106_660n)).toBe(138_658n);
    expect(await callGas(106_670n)).toBe(138_670n);
    expect(await callGas(1_000_000n)).toBe(1_032_000n);
  });

  it('behavior: preVerificationGas pays for a bundle of one, whatever the bundler estimates', async () => {
    const operation = await limitsFor({ preVerificationGas: 40_000n });
    const { expiry, validAfter } = (await estimate(buildSnapshot())).window;
    const signed = { ...operation, signature: stubIntentSignature(expiry, validAfter) };
    const lone = loneBundleGas(signed);
    expect(operation.preVerificationGas).toBe(lone);
    expect(lone).toBeGreaterThan(45_500n);
    // The data of L1 is what exceeds it.
    const { preVerificationGas } = await limitsFor({ preVerificationGas: lone + 100_000n });
    expect(preVerificationGas - lone).toBeGreaterThan(114_900n);
    expect(preVerificationGas - lone).toBeLessThan(115_100n);
  });

  it('behavior: postOp gets the gas that the terms ask for', async () => {
    const terms = buildTerms({ smallestPostOpGas: paymasterRefreshGas });
    const { operation } = await estimate(buildSnapshot({ paymaster: terms }));
    expect(operation.paymasterPostOpGasLimit).toBe(120_000n);
  });

  it('behavior: a low estimate lowers neither validation limit, and a permit needs more', async () => {
    const low = { verificationGasLimit: 26_971n, paymasterVerificationGasLimit: 16_322n };
    const allowance = (data?: Hex) =>
      allowancePaymaster(zeroAddress, () => Promise.resolve(buildTerms()), data);
    const limitOf = async (by: Paymaster) => {
      const operation = await limitsFor(low, by);
      return [operation.verificationGasLimit, operation.paymasterVerificationGasLimit];
    };
    expect(await limitOf(paymaster)).toEqual([50_000n, 64_000n]);
    expect(await limitOf(allowance())).toEqual([50_000n, 70_000n]);
    expect(await limitOf(allowance('0x01'))).toEqual([50_000n, 145_000n]);
  });

  it('behavior: validity may begin later', async () => {
    expect((await estimate(buildSnapshot(), { validAfterSeconds: 60 })).window.validAfter).toBe(now + 60);
  });

  it('error: UpstreamUnavailableError when the price is about to run out', async () => {
    await expectUnavailable(estimate(validUntil(now + 89)));
  });

  it('error: a refusal is explained, an outage passes through', async () => {
    const failing = (error: Error) =>
      buildSnapshot({ bundler: buildBundler({ estimate: () => Promise.reject(error) }) });
    const refusal = new BundlerRejection({ bundlerCode: -32500, message: 'AA25 invalid account nonce' });
    await expect(estimate(failing(refusal))).rejects.toMatchObject({ code: 'TRANSACTION_SUBMISSION_FAILED' });
    const outage = new UpstreamUnavailableError({ detail: 'x' });
    await expect(estimate(failing(outage))).rejects.toBe(outage);
  });
});

describe('buildHooks', () => {
  it('default: deposit', () => {
    expect(build({ operation: 'deposit', assets: 25n })).toEqual({
      hooks: [
        { hook: 'deposit', vault: vault.vaultAddress, token, amount: 25n, minShares: 994n, keepOne: true },
      ],
      quotedOut: 1_000n,
      minOut: 994n,
    });
  });

  it('default: redeem of a part, and of everything that is there at inclusion', () => {
    const part = { hook: 'redeem', vault: vault.vaultAddress, token, minAssets: 1_990n };
    expect(build({ operation: 'redeem', amount: { percentage: 50 } }).hooks).toEqual([
      { ...part, shares: 5n * 10n ** 18n },
    ]);
    expect(build({ operation: 'redeem', amount: { percentage: 100 } }).hooks).toEqual([
      { ...part, shares: 'all' },
    ]);
  });

  it('default: rebalance deposits the proceeds of the redeem, each step with its own minimum', () => {
    expect(build({ operation: 'rebalance', target }).hooks).toEqual([
      { hook: 'redeem', vault: vault.vaultAddress, token, shares: 'all', minAssets: 1_990n },
      {
        hook: 'deposit',
        vault: target.vaultAddress,
        token,
        amount: 'previous',
        minShares: 994n,
        keepOne: true,
      },
    ]);
  });

  it('behavior: a deposit of another asset than USDC leaves nothing allowed', () => {
    const weth = buildRankedVault({ asset: { symbol: 'WETH', address: zeroAddress, decimals: 18 } });
    const { hooks } = build({ operation: 'deposit', vault: weth, assets: 25n });
    expect(hooks).toEqual([expect.not.objectContaining({ keepOne: true })]);
  });

  it('behavior: no minimum is ever zero', () => {
    const { hooks, minOut } = build({ operation: 'rebalance', target }, { redeemed: 0n, deposited: 0n });
    expect(hooks).toEqual([
      expect.objectContaining({ minAssets: 1n }),
      expect.objectContaining({ minShares: 1n }),
    ]);
    expect(minOut).toBe(1n);
  });

  it.each([
    [49_999_999n, 100_000_000n, 100_000_000n],
    [50_000_000n, 100_000_000n, undefined],
  ])(
    'behavior: an allowance of %d of %d is restored to %d',
    (paymasterAllowance, paymasterAllowanceUsdc, amount) => {
      const request = buildRequest();
      const { hooks } = buildHooks(
        request,
        buildSnapshot({ paymasterAllowance }),
        { redeemed: 0n, deposited: 1n },
        600,
        { ...options, paymasterAllowanceUsdc },
      );
      const approve = { hook: 'approve', spender: request.chain.contracts.paymaster, token, amount };
      expect(hooks.slice(1)).toEqual(amount === undefined ? [] : [approve]);
    },
  );
});

describe('sharesAtExpiry', () => {
  it('default: the yield at 10 % over ten minutes and the age of a quote', () => {
    const quoted = 10n ** 18n;
    // 10^18 / 1.1 ^ (660 / 31 536 000)
    const exact = 999_998_005_306_445_553n;
    const difference = sharesAtExpiry(quoted, { ...still, now: 10 }, 600) - exact;
    expect(difference * difference).toBeLessThan(100n ** 2n);
  });

  it('behavior: a vault without yield, or with a loss, pays its quote', () => {
    expect(sharesAtExpiry(1_000n, still, 600)).toBe(1_000n);
    expect(sharesAtExpiry(1_000n, { now: -20, week: -3, month: -1 }, 600)).toBe(1_000n);
  });

  it('behavior: the fastest pace counts', () => {
    const fastest = sharesAtExpiry(10n ** 18n, { ...still, now: 40 }, 600);
    expect(sharesAtExpiry(10n ** 18n, { now: 1, week: 2, month: 40 }, 600)).toBe(fastest);
  });

  const vaults = fc.record({
    assets: fc.bigInt({ min: 1_000n, max: 10n ** 24n }),
    totalAssets: fc.bigInt({ min: 10n ** 9n, max: 10n ** 30n }),
    totalShares: fc.bigInt({ min: 10n ** 9n, max: 10n ** 30n }),
    apyPercent: fc.double({ min: 0, max: 500, noNaN: true }),
    seconds: fc.integer({ min: 30, max: 86_400 }),
    slippageBps: fc.integer({ min: 0, max: 1_000 }),
    /** When the intent runs, as a part of its life. */
    at: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  const precision = 10n ** 18n;
  /** A vault whose assets grow by its APY, and that rounds as ERC-4626 wants it. */
  const sharesAt = (
    {
      assets,
      totalAssets,
      totalShares,
      apyPercent,
    }: { [K in 'assets' | 'totalAssets' | 'totalShares']: bigint } & {
      apyPercent: number;
    },
    seconds: number,
  ): bigint => {
    const growth = Math.expm1((Math.log1p(apyPercent / 100) * seconds) / yearSeconds);
    const grown = (totalAssets * (precision + BigInt(Math.floor(growth * 1e18)))) / precision;
    return (assets * totalShares) / grown;
  };

  it('property: an honest deposit never falls below its minimum, whenever it runs', () => {
    fc.assert(
      fc.property(vaults, ({ seconds, slippageBps, at, ...vault }) => {
        const apy = { ...still, now: vault.apyPercent };
        const minimum = minimumOut(sharesAtExpiry(sharesAt(vault, 0), apy, seconds), slippageBps);
        const brought = sharesAt(vault, seconds * at);
        fc.pre(brought > 0n);
        expect(brought).toBeGreaterThanOrEqual(minimum);
      }),
      { numRuns: 1_000 },
    );
  });

  it('property: it is no looser than the slippage, the growth and a minute of it', () => {
    fc.assert(
      fc.property(vaults, ({ seconds, slippageBps, ...vault }) => {
        const apy = { ...still, now: vault.apyPercent };
        const minimum = minimumOut(sharesAtExpiry(sharesAt(vault, 0), apy, seconds), slippageBps);
        const tightest = minimumOut(sharesAt(vault, seconds + 61), slippageBps);
        // Assets come in whole base units, and growth in 53 bits.
        const rounding = tightest / vault.totalAssets + tightest / 10n ** 15n + 3n;
        expect(minimum).toBeGreaterThanOrEqual(tightest - rounding);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('takeQuotes', () => {
  it('default: the result of each operation', () => {
    const depositVault = buildDepositVault();
    const deposited = 24n * 10n ** 18n;
    expect(takeQuotes(buildRequest(), { redeemed: undefined, depositVault })).toEqual({
      redeemed: 0n,
      deposited,
    });
    expect(takeQuotes(redeem, { redeemed, depositVault: undefined })).toEqual({
      redeemed: 25_000_000n,
      deposited: 0n,
    });
    expect(takeQuotes(rebalance, { redeemed, depositVault })).toEqual({ redeemed: 25_000_000n, deposited });
  });

  it('error: VaultAtCapacityError for a vault that takes nothing now', () => {
    const depositVault = buildDepositVault({ deposited: paused });
    expectThrown(VaultAtCapacityError, () => takeQuotes(rebalance, { redeemed, depositVault }), {
      vaultId: target.vaultId,
      revertReason: 'EnforcedPause',
    });
  });

  it('error: PreflightSimulationError for a vault that pays nothing now; it is not the target that is full', () => {
    for (const request of [redeem, rebalance]) {
      const depositVault = buildDepositVault({ deposited: { revertReason: 'NO_REASON' } });
      expect(() => takeQuotes(request, { redeemed: paused, depositVault })).toThrow(PreflightSimulationError);
    }
  });
});

const abi = parseAbi([
  'error ERC4626ExceededMaxDeposit(address receiver, uint256 assets, uint256 max)',
  'error Error(string)',
]);

const wallet = buildRequest().wallet;
const overMax = encodeErrorResult({ abi, errorName: 'ERC4626ExceededMaxDeposit', args: [wallet, 5n, 1n] });
const text = (message: string) => encodeErrorResult({ abi, errorName: 'Error', args: [message] });

const explain = (bundlerCode: number, message: string, revertData?: Hex, request = buildRequest()) =>
  explainRejection(new BundlerRejection({ bundlerCode, message, revertData }), request);

describe('explainRejection', () => {
  const paused = toFunctionSelector('EnforcedPause()');

  it.each([
    ['a paused vault', paused, 'EnforcedPause'],
    ['a cap in words', text('SupplyCapExceeded'), 'SupplyCapExceeded'],
  ])('default: VaultAtCapacityError for %s', (_, data, revertReason) => {
    const error = explain(-32521, 'reverted', data);
    expect(error).toBeInstanceOf(VaultAtCapacityError);
    expect(error).toMatchObject({ details: { revertReason, vaultId: buildRequest().vault.vaultId } });
  });

  it('behavior: the capacity of a rebalance is its target’s, and its next action mentions no amount', () => {
    expect(explain(-32521, 'reverted', overMax)).toMatchObject({
      details: { revertReason: 'ERC4626ExceededMaxDeposit' },
      nextAction: expect.stringMatching(/^Lower the amount/) as string,
    });
    expect(explain(-32521, 'reverted', overMax, rebalance)).toMatchObject({
      code: 'VAULT_AT_CAPACITY',
      details: { vaultId: target.vaultId },
      nextAction: expect.stringMatching(/^Name another vault by targetVaultId/) as string,
    });
  });

  it('behavior: a redeem that cannot run is a failed simulation', () => {
    const error = explain(-32521, 'reverted', paused, redeem);
    expect(error).toBeInstanceOf(PreflightSimulationError);
    expect(error).toMatchObject({ details: { revertReason: 'EnforcedPause' } });
  });

  it('behavior: any other revert of a deposit is a failed simulation', () => {
    expect(explain(-32521, 'reverted', text('not now'))).toMatchObject({
      code: 'PREFLIGHT_SIMULATION_FAILED',
      detail: 'The deposit would revert: the contract says "not now".',
      details: { revertReason: 'not now' },
    });
  });

  it('behavior: a vault that cannot pay is not a wallet without gas', () => {
    const data = text('ERC20: transfer amount exceeds balance');
    expect(explain(-32521, 'reverted', data, redeem)).toMatchObject({
      code: 'PREFLIGHT_SIMULATION_FAILED',
      details: { revertReason: 'INSUFFICIENT_BALANCE' },
    });
  });

  it('behavior: an allowance that the paymaster misses', () => {
    const data = text('ERC20: transfer amount exceeds allowance');
    expect(explain(-32501, 'AA33 reverted', data)).toBeInstanceOf(AllowanceTooLowError);
  });

  it.each([
    [-32500, 'AA25 invalid account nonce', 'AA25', false],
    [-32508, 'AA31 paymaster deposit too low', 'AA31', true],
    [-32602, 'something else', undefined, true],
  ])('behavior: other refusals (%d %s)', (bundlerCode, message, aaCode, retryable) => {
    const error = explain(bundlerCode, message);
    expect(error).toBeInstanceOf(TransactionSubmissionError);
    expect(error).toMatchObject({ details: { bundlerCode, ...(aaCode ? { aaCode } : {}) }, retryable });
  });
});
