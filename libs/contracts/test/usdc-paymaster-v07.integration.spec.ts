import { type PrivateKeyAccount, erc20Abi, parseEventLogs, zeroAddress } from 'viem';
import { canonical, suite as defaultSuite, suiteAddresses } from '../src/address-book.js';
import { usdcPaymasterV07Abi } from '../src/generated/UsdcPaymasterV07.js';
import { inspectSuite } from '../src/inspect-suite.js';
import { paymasterChargeV07 } from '../src/paymaster-cost.js';
import { singleCall } from './support/account.js';
import { startTestChain } from './support/chain.js';
import {
  type Operation,
  type Setting,
  buildOperation,
  configuredWallet,
  gasLimitsOf,
  refusalOf,
  runOperation,
  signOperation,
} from './support/operation.js';

const idle = singleCall(zeroAddress, '0x');

describe('the suite on EntryPoint v0.7', () => {
  let setting: Setting;
  let wallet: PrivateKeyAccount;
  beforeAll(async () => {
    const chain = await startTestChain(8453, { entryPointVersion: '0.7' });
    setting = { chain, version: '0.7', suite: suiteAddresses({ entryPointVersion: '0.7' }) };
    wallet = await configuredWallet(setting);
  });
  afterAll(() => setting.chain.stop());

  const usdcOf = (owner: `0x${string}`) =>
    setting.chain.client.readContract({
      address: setting.chain.usdc,
      abi: erc20Abi,
      functionName: 'balanceOf',
      args: [owner],
    });
  const depositOf = () =>
    setting.chain.client.readContract({
      address: canonical.entryPointV07,
      abi: [
        {
          type: 'function',
          name: 'balanceOf',
          stateMutability: 'view',
          inputs: [{ type: 'address' }],
          outputs: [{ type: 'uint256' }],
        },
      ],
      functionName: 'balanceOf',
      args: [setting.suite.paymaster],
    });
  const rate = async () => {
    const [tokenPerNative] = await setting.chain.client.readContract({
      address: setting.suite.paymaster,
      abi: usdcPaymasterV07Abi,
      functionName: 'tokenPerNative',
    });
    return tokenPerNative;
  };
  const run = async (overrides: Partial<Operation>) => {
    const operation = await buildOperation(setting, wallet.address, idle, overrides);
    const [before, deposit] = [await usdcOf(wallet.address), await depositOf()];
    const { receipt } = await runOperation(setting, await signOperation(setting, wallet, operation));
    const [sponsored] = parseEventLogs({
      abi: usdcPaymasterV07Abi,
      eventName: 'UserOperationSponsored',
      logs: receipt.logs,
    });
    return {
      operation,
      receipt,
      sponsored: sponsored?.args.tokenAmount,
      paid: before - (await usdcOf(wallet.address)),
      billedWei: deposit - (await depositOf()),
    };
  };

  it('behavior: only account, paymaster and executor stand elsewhere', () => {
    expect(setting.suite.validator).toBe(defaultSuite.validator);
    for (const contract of ['account', 'paymaster', 'executor'] as const) {
      expect(setting.suite[contract]).not.toBe(defaultSuite[contract]);
    }
  });

  it('behavior: deploySuite puts it there, inspectSuite finds it in order', async () => {
    expect(setting.chain.report.contracts[0]).toMatchObject({
      address: canonical.entryPointV07,
      status: 'deployed',
    });
    const found = await inspectSuite(setting.chain.client, setting.suite, { entryPointVersion: '0.7' });
    expect(found.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok']);
    const mistaken = await inspectSuite(setting.chain.client, setting.suite);
    expect(mistaken.find(({ contract }) => contract === 'entryPoint')?.status).toBe('missing');
    expect(mistaken.find(({ contract }) => contract === 'paymaster')?.status).toBe('mismatch');
  });

  it('behavior: validation pulls what paymasterChargeV07 and quote say', async () => {
    const { operation, receipt } = await run({});
    const limits = {
      callGasLimit: operation.callGasLimit,
      postOpGasLimit: operation.paymasterPostOpGasLimit ?? 0n,
    };
    const prefund = paymasterChargeV07({
      tokenPerNative: await rate(),
      gas: gasLimitsOf(operation),
      feePerGas: operation.maxFeePerGas,
      ...limits,
    });
    const transfers = parseEventLogs({ abi: erc20Abi, eventName: 'Transfer', logs: receipt.logs });
    expect(transfers[0]?.args).toMatchObject({ from: wallet.address, value: prefund });
    const [quoted] = await setting.chain.client.readContract({
      address: setting.suite.paymaster,
      abi: usdcPaymasterV07Abi,
      functionName: 'quote',
      args: [
        gasLimitsOf(operation) * operation.maxFeePerGas,
        operation.maxFeePerGas,
        limits.callGasLimit + limits.postOpGasLimit,
      ],
    });
    expect(quoted).toBe(prefund);
  });

  it.each([
    ['modest limits', {}],
    ['a generous call limit', { callGasLimit: 3_000_000n }],
    ['generous limits everywhere', { callGasLimit: 2_000_000n, paymasterPostOpGasLimit: 900_000n }],
    [
      'a generous validation limit',
      { verificationGasLimit: 1_000_000n, paymasterVerificationGasLimit: 700_000n },
    ],
  ] as const)('behavior: charges no less than the entry point bills: %s', async (_, limits) => {
    const { paid, billedWei, sponsored } = await run(limits);
    expect(paid).toBe(sponsored);
    // At the price without the markup, which has to stay with the paymaster.
    const billedUsdc = (billedWei * (await rate()) * 100n) / 105n / 10n ** 18n;
    expect(paid).toBeGreaterThanOrEqual(billedUsdc);
    // The penalty is bounded from above too: not everything is charged as if nothing had been used.
    expect(paid).toBeLessThan((billedUsdc * 14n) / 10n);
  });

  it('behavior: a fee of zero costs nothing', async () => {
    await setting.chain.node.setNextBlockBaseFeePerGas({ baseFeePerGas: 0n });
    const { paid, receipt } = await run({ maxFeePerGas: 0n, maxPriorityFeePerGas: 0n });
    expect(receipt.status).toBe('success');
    expect(paid).toBe(0n);
  });

  it('error: AA34 when the allowance does not cover the prefund', async () => {
    const poor = await configuredWallet(setting);
    await setting.chain.setUsdc(poor.address, 0n);
    const operation = await buildOperation(setting, poor.address, idle);
    expect(await refusalOf(setting, await signOperation(setting, poor, operation))).toEqual([
      'AA34 signature error',
    ]);
  });
});
