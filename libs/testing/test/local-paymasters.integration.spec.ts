import {
  type Address,
  type PrivateKeyAccount,
  encodePacked,
  erc20Abi,
  parseEventLogs,
  zeroAddress,
} from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { canonical, contractAddresses } from '@yield-vault/contracts';
import { deployContracts } from '@yield-vault/contracts';
import { inspectContracts } from '@yield-vault/contracts';
import {
  deployLocalServicePaymaster,
  localCirclePaymasterAbi,
  localServicePaymasterAbi,
  placeLocalCirclePaymaster,
  signLocalServicePaymaster,
  type LocalNode,
} from '../src/local-chain/index.js';
import { singleCall } from '../../contracts/test/support/account.js';
import { ethUsd, startTestChain } from '../../contracts/test/support/chain.js';
import {
  type Operation,
  type Setting,
  buildOperation,
  configuredWallet,
  gasLimitsOf,
  refusalOf,
  runOperation,
  signOperation,
} from '../../contracts/test/support/operation.js';

const idle = singleCall(zeroAddress, '0x');
// Base units of USDC for one ether, from a feed with 8 decimals.
const price = ethUsd / 100n;

/** A chain whose executor approves a third-party paymaster. */
async function startWith(place: (node: LocalNode) => Promise<Address>): Promise<Setting> {
  const chain = await startTestChain(8453);
  const paymaster = await place(chain.node as unknown as LocalNode);
  const options = { paymaster };
  const report = await deployContracts(chain.wallet, chain.client, options);
  expect(report.contracts.map(({ contract, status }) => `${contract} ${status}`)).toEqual([
    'entryPoint present',
    'validator present',
    'executor deployed',
    'account deployed',
  ]);
  expect(report).toMatchObject({ paymasterDeposit: 'unchanged', paymasterStake: 'unchanged' });
  return { chain, localContracts: contractAddresses(options) };
}

const usdcOf = ({ chain }: Setting, owner: Address) => chain.read(chain.usdc, erc20Abi, 'balanceOf', [owner]);

/** Run an empty operation. @returns its charge */
async function run(setting: Setting, wallet: PrivateKeyAccount, operation: Operation) {
  const before = await usdcOf(setting, wallet.address);
  const { receipt, events } = await runOperation(setting, await signOperation(setting, wallet, operation));
  const pulled = parseEventLogs({ abi: erc20Abi, eventName: 'Transfer', logs: receipt.logs })[0]?.args.value;
  const ended = events.find(({ eventName }) => eventName === 'UserOperationEvent');
  if (ended?.eventName !== 'UserOperationEvent') throw new Error('the operation did not run');
  return { receipt, pulled, paid: before - (await usdcOf(setting, wallet.address)), ended: ended.args };
}

describe('the local Circle paymaster', () => {
  let setting: Setting;
  let wallet: PrivateKeyAccount;
  beforeAll(async () => {
    setting = await startWith((node) => placeLocalCirclePaymaster(node, 8453));
    wallet = await configuredWallet(setting);
  });
  afterAll(() => setting.chain.stop());

  const read = (functionName: 'fetchPrice' | 'additionalGasCharge' | 'feeSpread') =>
    setting.chain.read(setting.localContracts.paymaster, localCirclePaymasterAbi, functionName);

  it('default: stands at Circle’s address, with its terms', async () => {
    expect(setting.localContracts.paymaster).toBe(canonical.circlePaymaster[8453]);
    expect(await read('fetchPrice')).toBe(price);
    expect(await read('additionalGasCharge')).toBe(35_000n);
    expect(await read('feeSpread')).toBe(1_000n);
    const options = { paymaster: 'other' } as const;
    const found = await inspectContracts(setting.chain.client, setting.localContracts, options);
    expect(found.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok']);
    const paymaster = found.find(({ contract }) => contract === 'paymaster');
    expect(paymaster?.expectedCodeHash).toBeUndefined();
  });

  it('behavior: pulls the whole prefund, and returns the unused part', async () => {
    const operation = await buildOperation(setting, wallet.address, idle);
    const { receipt, pulled, paid, ended } = await run(setting, wallet, operation);
    const base = ((gasLimitsOf(operation) + 35_000n) * operation.maxFeePerGas * price) / 10n ** 18n + 1n;
    expect(pulled).toBe(base + base / 10n);
    const [sponsored] = parseEventLogs({
      abi: localCirclePaymasterAbi,
      eventName: 'UserOperationSponsored',
      logs: receipt.logs,
    });
    expect(sponsored?.args).toMatchObject({
      token: setting.chain.usdc,
      sender: wallet.address,
      userOpHash: ended.userOpHash,
      nativeTokenPrice: price,
      actualTokenNeeded: paid,
    });
    expect(paid).toBeLessThan(pulled ?? 0n);
    expect(paid).toBeGreaterThan((ended.actualGasCost * price) / 10n ** 18n);
  });

  it('behavior: a permit that fails is ignored', async () => {
    const paymasterData = encodePacked(
      ['uint8', 'address', 'uint256', 'bytes'],
      [0, setting.chain.usdc, 1n, `0x${'11'.repeat(65)}`],
    );
    const operation = await buildOperation(setting, wallet.address, idle, { paymasterData });
    expect((await run(setting, wallet, operation)).ended.success).toBe(true);
  });

  it.each([
    ['PostOpGasLimitTooLow', { paymasterPostOpGasLimit: 34_999n }],
    ['MalformedPaymasterData', { paymasterData: '0x00ff' }],
    [
      'UnsupportedToken',
      { paymasterData: encodePacked(['uint8', 'address', 'uint256'], [0, zeroAddress, 1n]) },
    ],
  ] as const)('error: AA33 %s', async (name, overrides) => {
    const operation = await buildOperation(setting, wallet.address, idle, overrides);
    const refusal = await refusalOf(setting, await signOperation(setting, wallet, operation));
    expect(refusal.slice(0, 2)).toEqual(['AA33 reverted', name]);
  });
});

describe('the local service paymaster', () => {
  const service = privateKeyToAccount(generatePrivateKey());
  let setting: Setting;
  let wallet: PrivateKeyAccount;
  beforeAll(async () => {
    setting = await startWith((node) => deployLocalServicePaymaster(node, service.address));
    wallet = await configuredWallet(setting);
  });
  afterAll(() => setting.chain.stop());

  const validUntil = 4_000_000_000;
  const approve = async (
    operation: Operation,
    terms: { tokenPerNative?: bigint; validUntil?: number; validAfter?: number; by?: PrivateKeyAccount } = {},
  ): Promise<Operation> => {
    const { by = service, ...rest } = terms;
    const paymasterData = await signLocalServicePaymaster(by, operation, {
      chainId: setting.chain.chainId,
      paymaster: setting.localContracts.paymaster,
      validUntil,
      ...rest,
    });
    return { ...operation, paymasterData };
  };
  const build = () => buildOperation(setting, wallet.address, idle);

  it('default: pays for the signed operation, and takes nothing', async () => {
    const { paid, ended } = await run(setting, wallet, await approve(await build()));
    expect(ended).toMatchObject({ success: true, paymaster: setting.localContracts.paymaster });
    expect(paid).toBe(0n);
  });

  it('behavior: takes USDC at the signed rate', async () => {
    const { receipt, paid, pulled } = await run(
      setting,
      wallet,
      await approve(await build(), { tokenPerNative: price }),
    );
    const [sponsored] = parseEventLogs({
      abi: localServicePaymasterAbi,
      eventName: 'UserOperationSponsored',
      logs: receipt.logs,
    });
    expect(sponsored?.args).toMatchObject({ tokenAmount: paid, tokenPerNative: price });
    expect(paid).toBeGreaterThan(0n);
    expect(paid).toBeLessThan(pulled ?? 0n);
  });

  it('error: AA34 when another key signed', async () => {
    const operation = await approve(await build(), { by: privateKeyToAccount(generatePrivateKey()) });
    expect(await refusalOf(setting, await signOperation(setting, wallet, operation))).toEqual([
      'AA34 signature error',
    ]);
  });

  it.each([
    'nonce',
    'callData',
    'callGasLimit',
    'verificationGasLimit',
    'preVerificationGas',
    'maxFeePerGas',
    'maxPriorityFeePerGas',
    'paymasterVerificationGasLimit',
    'paymasterPostOpGasLimit',
  ] as const)('error: AA34 when %s changed after the service signed', async (field) => {
    const operation = await build();
    const { paymasterData } = await approve({
      ...operation,
      [field]: field === 'callData' ? '0x' : (operation[field] ?? 0n) + 1n,
    } as Operation);
    const changed = await signOperation(setting, wallet, { ...operation, paymasterData });
    expect(await refusalOf(setting, changed)).toEqual(['AA34 signature error']);
  });

  it.each([
    ['is over', { validUntil: 1_000 }],
    ['has not begun', { validAfter: validUntil - 1 }],
  ])('error: AA32 when the window %s', async (_, window) => {
    const operation = await approve(await build(), window);
    expect(await refusalOf(setting, await signOperation(setting, wallet, operation))).toEqual([
      'AA32 paymaster expired or not due',
    ]);
  });

  it('error: AA33 MalformedPaymasterData', async () => {
    const operation = await signOperation(setting, wallet, await build());
    expect(await refusalOf(setting, operation)).toEqual(['AA33 reverted', 'MalformedPaymasterData']);
  });
});
