import {
  createDifficultVaults,
  localDifficultVaultAbi,
  localLendingVaultAbi,
  localUsdcAbi,
  localVaults,
  ratePerSecond,
  type DifficultVaults,
  type LocalVaultKind,
} from '@yield-vault/testing/local';
import { usdcPaymasterAbi, yieldExecutorAbi } from '@yield-vault/contracts';
import { TransactionSubmissionError, type RankedVault } from '@yield-vault/protocol';
import { buildRankedVault } from '@yield-vault/testing';
import fc from 'fast-check';
import { encodeFunctionData, erc20Abi, formatUnits, maxUint256, parseUnits, type Address } from 'viem';
import { errorOf } from '../test/expect-error.js';
import { listLocalVault } from '../test/build-catalogue.js';
import { options } from '../test/build-request.js';
import {
  refusalOf,
  startWalletBench,
  type WalletBench,
  type TestCase,
  type Outcome,
} from '../test/wallet-bench.js';
import {
  deployerOf,
  localVault,
  startLocalDeployment,
  type LocalDeployment,
} from '../test/local-deployment.js';

const usdc = (amount: string) => parseUnits(amount, 6);
const stranger: Address = '0x3000000000000000000000000000000000000003';
const scores = (balanced: number) => ({ maximize_apy: 1, minimize_risk: 1, balanced });
let local: LocalDeployment;
let devnet: DifficultVaults;
let bench: WalletBench;

beforeAll(async () => {
  local = await startLocalDeployment();
  const { rpcUrls, chainId, contracts } = local.chain;
  // These vaults burn more gas than a usual operation may cost.
  await deployerOf(local).writeContract({
    chain: null,
    address: contracts.paymaster,
    abi: usdcPaymasterAbi,
    functionName: 'setOperationCeiling',
    args: [50_000_000n],
  });
  devnet = createDifficultVaults({ rpcUrl: rpcUrls[0]!, chainId: chainId as 8453 });
  bench = await startWalletBench(local, options, listLocalVault(localVault('steady')));
}, 120_000);
afterAll(async () => {
  await bench.stop();
  await local.stop();
});

/** The catalogue's entry of an unsafe vault: a plain vault with a price of one asset a share. */
function list(vaultAddress: Address, overrides: Partial<RankedVault> = {}): RankedVault {
  return buildRankedVault({
    vaultAddress,
    name: `VaultCase ${vaultAddress}`,
    shareDecimals: 6,
    sharePrice: 1,
    apy: { now: 0, week: 0, month: 0 },
    compositeScores: scores(50),
    ...overrides,
  });
}

let serial = 0;
/** A vault with depositors, the wallet among them. */
async function openVault(asset = local.chain.usdc): Promise<Address> {
  const vault = await devnet.deployVault({ name: `unsafe ${String(++serial)}`, asset });
  await devnet.depositFor(vault, stranger, usdc('1000000'));
  await devnet.depositFor(vault, bench.wallet, usdc('1000'));
  return vault;
}

/** A vault that counts donations, with one depositor. */
async function openDonatable(name: string, deposited: bigint): Promise<Address> {
  const vault = await devnet.deployVault({ name });
  await devnet.change(vault, 'setDonatable', []);
  await devnet.depositFor(vault, stranger, deposited);
  return vault;
}

const depositInto = (vault: RankedVault, amount = '25'): TestCase => ({
  operation: 'deposit',
  vault,
  request: { amount },
});
const redeemFrom = (vault: RankedVault, request: TestCase['request'] = { percentage: 100 }): TestCase => ({
  operation: 'redeem',
  vault,
  request,
});

/** Run a test case and check its promise, or name its refusal. A prepared operation must not fail. */
async function run(testCase: TestCase, meanwhile?: () => Promise<unknown>): Promise<string> {
  const attempt = await bench.prepare(testCase).then(
    (execution) => ({ execution }),
    (error: unknown) => ({ refusal: refusalOf(error) }),
  );
  if ('refusal' in attempt) return attempt.refusal;
  await meanwhile?.();
  expectKept(testCase, await bench.execute(testCase, attempt.execution));
  return 'as promised';
}

function expectKept({ operation, request }: TestCase, outcome: Outcome): void {
  const { received, given, assetsLeft, sharesLeft, minOut, quotedOut, gasPaid, maxGas, allowances } = outcome;
  expect(received).toBeGreaterThanOrEqual(minOut);
  // The promise is worth something: half a percent of slippage, and next to nothing for what accrues meanwhile.
  expect((minOut + 1n) * 1_000n).toBeGreaterThanOrEqual(quotedOut * 994n);
  if (operation === 'deposit') expect(given).toBe(usdc(request?.amount ?? '0'));
  if (request?.shares) expect(given).toBe(BigInt(request.shares));
  if (operation === 'rebalance' || request?.percentage === 100) expect(sharesLeft).toBe(0n);
  expect(assetsLeft).toBe(0n);
  expect(gasPaid).toBeGreaterThan(0n);
  expect(gasPaid).toBeLessThanOrEqual(maxGas);
  for (const allowance of allowances) expect(allowance).toBeLessThanOrEqual(1n);
}

const kept = 'as promised';
const preflight = (reason: string) => `PREFLIGHT_SIMULATION_FAILED ${reason}`;
const reverted = (reason: string) => `TRANSACTION_SUBMISSION_FAILED ${reason}`;
const failedCheck = (check: string) => `NO_SUITABLE_VAULTS ${check}`;

/** What a case needs beside the outcomes of a deposit and of a redeem, each alone and in a rebalance. */
interface VaultCase {
  /** The outcome of a rebalance into it, where it differs from a deposit's. */
  readonly move: string;
  /** The outcome of a rebalance out of it, where it differs from a redeem's. */
  readonly leave: string;
  /** Its token can take a fee of every transfer. */
  readonly hasFeeToken: true;
}
/** Make the vault unsafe. */
type Arrange = (vault: Address, asset: Address) => Promise<void>;

const change =
  (functionName: Parameters<DifficultVaults['change']>[1], ...args: readonly unknown[]): Arrange =>
  (vault) =>
    devnet.change(vault, functionName, args as never);
const executorEntry = () =>
  encodeFunctionData({ abi: yieldExecutorAbi, functionName: 'runHooks', args: [`0x03${'00'.repeat(32)}`] });
const greed = (of: bigint, vault: Address) =>
  encodeFunctionData({ abi: localUsdcAbi, functionName: 'transferFrom', args: [bench.wallet, vault, of] });

/** Have a vault call the view of another one that burns gas. */
async function burn(vault: Address, gas: bigint, isForced = true): Promise<void> {
  const furnace = await devnet.deployVault({ name: `furnace of ${vault}` });
  await devnet.change(furnace, 'setWastedGas', [gas]);
  const preview = { abi: localDifficultVaultAbi, functionName: 'previewDeposit', args: [1n] } as const;
  await devnet.change(vault, 'setAttack', [furnace, encodeFunctionData(preview), isForced]);
}

/** Name, outcome of a deposit and of a redeem, how the vault gets unsafe, and what else there is to it. */
type VaultRow = [
  name: string,
  deposit: string,
  redeem: string,
  arrange: Arrange,
  ...options: Partial<VaultCase>[],
];
const table: VaultRow[] = [
  ['nothing', kept, kept, async () => {}],
  ['an exit fee of 2 %', failedCheck('ROUND_TRIP_LOSS'), kept, change('setFees', 0n, 200n)],
  // A deposit could not leave again.
  [
    'previewRedeem says 1 % too much',
    failedCheck('ROUND_TRIP_GAIN'),
    preflight('MinAssetsNotMet'),
    change('setPreviews', 10_000n, 10_100n),
  ],
  // It leaves another vault of this asset first.
  [
    'an asset that loses 1 % in every transfer',
    kept,
    preflight('MinAssetsNotMet'),
    (_, asset) => devnet.setTransferFee(asset, 100n),
    { hasFeeToken: true, move: preflight('MinAssetsNotMet') },
  ],
  [
    'a price that a donation moved by 5 % since the catalogue looked',
    failedCheck('PRICE_JUMP'),
    kept,
    async (vault, asset) => {
      await devnet.change(vault, 'setDonatable', []);
      await devnet.mint(asset, vault, usdc('50050'));
    },
  ],
  [
    'previews that never end',
    preflight('NO_REASON'),
    preflight('NO_REASON'),
    change('setWastedGas', maxUint256),
  ],
  [
    'a call into the executor in between that must not fail',
    preflight('ExecutorNotDelegated'),
    preflight('ExecutorNotDelegated'),
    (vault) => devnet.change(vault, 'setAttack', [local.chain.contracts.executor, executorEntry(), true]),
  ],
  ['entries and exits that burn two million gas', kept, kept, (vault) => burn(vault, 2_000_000n)],
  // What the bundler says of it, with other words than a revert.
  [
    'entries and exits that burn all but a little of their gas',
    'TRANSACTION_SUBMISSION_FAILED',
    'TRANSACTION_SUBMISSION_FAILED',
    (vault) => burn(vault, maxUint256, false),
    // The estimate passes, at a cost above what the paymaster takes for one operation.
    { leave: 'UPSTREAM_UNAVAILABLE' },
  ],
  [
    'more taken in between than was given',
    preflight('INSUFFICIENT_ALLOWANCE'),
    kept,
    (vault) => devnet.change(vault, 'setAttack', [local.chain.usdc, greed(usdc('1'), vault), false]),
  ],
];

it.each(table)('a vault with %s', async (name, deposit, redeem, arrange, options = {}) => {
  const { move = deposit, leave = redeem, hasFeeToken } = options;
  const asset = hasFeeToken ? await devnet.deployFeeToken(`token ${name}`) : local.chain.usdc;
  if (hasFeeToken) await devnet.mint(asset, bench.wallet, usdc('100000'));
  const listed = hasFeeToken ? { asset: { symbol: 'FEE', address: asset, decimals: 6 } } : {};
  // Both have their depositors before anything goes wrong.
  const [riskyVault, plainVault] = [await openVault(asset), await openVault(asset)];
  await arrange(riskyVault, asset);
  const [risky, plain] = [list(riskyVault, listed), list(plainVault, listed)];
  const above = (vault: RankedVault) => [{ ...vault, compositeScores: scores(90) }];

  const outcomes = {
    deposit: await run(depositInto(risky)),
    redeem: await run(redeemFrom(risky, { percentage: 12.5 })),
    leave: await run({ operation: 'rebalance', vault: risky, others: above(plain) }),
    move: await run({ operation: 'rebalance', vault: plain, others: above(risky) }),
  };
  expect(outcomes).toEqual({ deposit, redeem, leave, move });
  if (move !== kept) return;
  for (const request of [{ shares: '123456789' }, { percentage: 100 }])
    expect(await run(redeemFrom(risky, request))).toBe(redeem);
});

const accepted = { deposit: kept, redeem: kept };
/** The outcomes of a deposit and of a redeem, if discovery listed all of them. */
const ofKind: Readonly<Record<LocalVaultKind, { readonly deposit: string; readonly redeem?: string }>> = {
  steady: accepted,
  faster: accepted,
  lossy: accepted,
  impostor: accepted,
  gap: accepted,
  capped: accepted,
  'exit-fee': accepted,
  'zero-limit': accepted,
  'gas-bomb': accepted,
  lending: accepted,
  frozen: accepted,
  // The selector of SharesLocked, which only this vault has.
  locked: { deposit: kept, redeem: preflight('0x664e17df') },
  paused: { deposit: 'VAULT_AT_CAPACITY EnforcedPause' },
  async: { deposit: failedCheck('NO_EXIT_QUOTE') },
  whitelist: { deposit: preflight('AccessControlUnauthorizedAccount') },
  minimum: { deposit: preflight('deposit below minimum') },
  mislabelled: { deposit: failedCheck('ASSET_MISMATCH') },
};

it.each(Object.entries(ofKind))(
  'a local vault of the kind %s: deposit, then redeem everything',
  async (kind, expected) => {
    const vault = localVaults[8453].find((each) => each.kind === kind)!;
    const { sharePrice, registeredAsset: asset = vault.asset } = vault;
    const listed = listLocalVault({ ...vault, asset }, { sharePrice });
    expect(await run(depositInto(listed))).toBe(expected.deposit);
    if (expected.redeem) expect(await run(redeemFrom(listed))).toBe(expected.redeem);
  },
);

it('behavior: a vault without an exit takes no deposit, and its holders redeem what it can pay', async () => {
  const { address } = localVault('frozen');
  const vault = listLocalVault(localVault('frozen'), { listed: false, exclusions: ['no-exit'] });
  await devnet.depositFor(address, bench.wallet, usdc('1000'));
  const lend = (assets: bigint) =>
    deployerOf(local).writeContract({
      ...{ chain: null, address, abi: localLendingVaultAbi, functionName: 'setLent', args: [assets] },
    });
  const total = { address, abi: localLendingVaultAbi, functionName: 'totalAssets' } as const;
  await lend((await local.chain.rpc.readContract(total)) - usdc('1500'));
  expect(await run(depositInto(vault))).toBe('NO_SUITABLE_VAULTS');
  expect(await run(redeemFrom(vault, { percentage: 50 }))).toBe(kept);
  await lend(maxUint256);
  expect(await run(redeemFrom(vault))).toBe(preflight('NotEnoughLiquidity'));
});

it('error: DECIMALS_MISMATCH when the catalogue is wrong, also above the balance', async () => {
  const asset = { symbol: 'USDC', address: local.chain.usdc, decimals: 18 };
  const vault = list(await openVault(), { asset });
  // Ten USDC in base units of the real token, and an amount above any balance.
  for (const amount of ['0.00000000001', '10'])
    expect(await run(depositInto(vault, amount))).toBe(failedCheck('DECIMALS_MISMATCH'));
});

describe('a vault with few depositors', () => {
  it('error: EMPTY_VAULT after one base unit and a donation', async () => {
    const vault = await openDonatable('inflated', 1n);
    await devnet.mint(local.chain.usdc, vault, usdc('10000'));
    expect(await run(depositInto(list(vault)))).toBe(failedCheck('EMPTY_VAULT'));
  });

  it('error: TINY_DEPOSIT for one that is a few shares; of many, rounding takes next to nothing', async () => {
    const vault = await openDonatable('expensive shares', 2_000n);
    await devnet.mint(local.chain.usdc, vault, usdc('20000'));
    const risky = list(vault, { sharePrice: 10_000_000 });
    expect(await run(depositInto(risky))).toBe(failedCheck('TINY_DEPOSIT'));
    expect(await run(depositInto(risky, '25000'))).toBe(kept);
  });
});

describe('changes between prepare and execute', () => {
  const donation = (vault: Address, amount: string) => () =>
    devnet.mint(local.chain.usdc, vault, usdc(amount));
  const loss = (vault: Address, amount: string) => () => devnet.change(vault, 'realiseLoss', [usdc(amount)]);
  const donatable = async () => {
    const vault = await openVault();
    await devnet.change(vault, 'setDonatable', []);
    return vault;
  };
  /** A case that is prepared, then reverts on chain with this reason. */
  const failing = async (testCase: TestCase, meanwhile: () => Promise<unknown>) => {
    const error = await errorOf(TransactionSubmissionError, run(testCase, meanwhile));
    return refusalOf(error);
  };

  const sharesOf = (address: Address) =>
    local.chain.rpc.readContract({
      address,
      abi: erc20Abi,
      functionName: 'balanceOf',
      args: [bench.wallet],
    });
  it('behavior: a loss of 0.3 % leaves a redeem within its bound', async () => {
    const vault = await openVault();
    expect(await run(redeemFrom(list(vault)), loss(vault, '3000'))).toBe(kept);
  });

  it('attack: a loss of 1 % ahead of a redeem: the shares stay', async () => {
    const vault = await openVault();
    const shares = await sharesOf(vault);
    expect(await failing(redeemFrom(list(vault)), loss(vault, '10000'))).toBe(reverted('MinAssetsNotMet'));
    expect(await sharesOf(vault)).toBe(shares);
  });

  it('attack: a donation of 1 % to the target of a rebalance: the position stays where it was', async () => {
    const [source, target] = [await openVault(), await donatable()];
    const before = await Promise.all([sharesOf(source), sharesOf(target)]);
    const testCase: TestCase = {
      operation: 'rebalance',
      vault: list(source),
      others: [list(target, { compositeScores: scores(90) })],
    };
    expect(await failing(testCase, donation(target, '10000'))).toBe(reverted('MinSharesNotMet'));
    expect(await Promise.all([sharesOf(source), sharesOf(target)])).toEqual(before);
  });

  it('attack: a sandwich takes no more than the slippage', async () => {
    // The attacker owns all of a small vault, and gets donations back together with the victim's rounding.
    const vault = await openDonatable('sandwich', usdc('1000'));
    expect(await run(depositInto(list(vault)), donation(vault, '4.9'))).toBe(kept);
    const worth = await local.chain.rpc.readContract({
      address: vault,
      abi: localDifficultVaultAbi,
      functionName: 'previewRedeem',
      args: [await sharesOf(vault)],
    });
    expect(worth).toBeGreaterThanOrEqual((usdc('25') * 9_950n) / 10_000n);
  });
});

describe('any vault at all', () => {
  const config = fc.record({
    decimalsOffset: fc.constantFrom(0, 6, 12),
    entryFeeBps: fc.bigInt({ min: 0n, max: 80n }),
    exitFeeBps: fc.bigInt({ min: 0n, max: 80n }),
    depositPreviewBps: fc.bigInt({ min: 9_930n, max: 10_070n }),
    redeemPreviewBps: fc.bigInt({ min: 9_930n, max: 10_070n }),
    earned: fc.bigInt({ min: 1n, max: usdc('900000') }),
    lost: fc.bigInt({ min: 1n, max: usdc('900000') }),
  });
  const action = fc.oneof(
    fc.record({ amount: fc.bigInt({ min: 1n, max: usdc('5000') }).map((units) => formatUnits(units, 6)) }),
    fc.record({ shares: fc.bigInt({ min: 1n, max: usdc('5000') }).map(String) }),
    fc.record({ percentage: fc.double({ min: 1e-9, max: 100, noNaN: true, minExcluded: true }) }),
    fc.constant({ percentage: 100 }),
    fc.constant({}),
  );

  it('property: a built operation succeeds for any fees and quotes of the vault', async () => {
    const plain = list(await openVault(), { compositeScores: scores(90) });
    const outcomes = new Set<string>();
    const property = fc.asyncProperty(
      config,
      fc.array(action, { minLength: 2, maxLength: 4 }),
      async (of, actions) => {
        const { decimalsOffset } = of;
        const vault = await devnet.deployVault({ name: `unsafe ${String(++serial)}`, decimalsOffset });
        await devnet.depositFor(vault, stranger, usdc('1000000'));
        await devnet.depositFor(vault, bench.wallet, usdc('1000'));
        await devnet.mint(local.chain.usdc, vault, of.earned);
        await devnet.change(vault, 'harvest', [of.earned]);
        await devnet.change(vault, 'realiseLoss', [of.lost]);
        await devnet.change(vault, 'setFees', [of.entryFeeBps, of.exitFeeBps]);
        await devnet.change(vault, 'setPreviews', [of.depositPreviewBps, of.redeemPreviewBps]);
        const risky = list(vault, { shareDecimals: 6 + decimalsOffset, sharePrice: 0 });
        for (const request of actions) {
          const operation =
            'amount' in request ? 'deposit' : Object.keys(request).length > 0 ? 'redeem' : 'rebalance';
          outcomes.add(await run({ operation, vault: risky, others: [plain], request }));
        }
      },
    );
    await fc.assert(property, { numRuns: 4, seed: 7579, endOnFailure: true });
    expect(outcomes).toContain(kept);
    const refusals =
      /^(NO_SUITABLE_VAULTS \w+|PREFLIGHT_SIMULATION_FAILED Min(Shares|Assets)NotMet|INSUFFICIENT_BALANCE)$/;
    outcomes.delete(kept);
    for (const outcome of outcomes) expect(outcome).toMatch(refusals);
  }, 240_000);
});

// The last ones: the clock of the chain does not come back.
describe('an intent that is executed minutes later', () => {
  const tripling = async () => {
    const vault = await openVault();
    await devnet.change(vault, 'setRate', [ratePerSecond(200)]);
    // Its yield is paid from its other holdings.
    await devnet.mint(local.chain.usdc, vault, usdc('1000000'));
    return list(vault, { apy: { now: 200, week: 200, month: 200 } });
  };
  const options = { maxSlippageBps: 0 };
  const wait = async () => {
    const request = local.chain.rpc.request as (args: object) => Promise<unknown>;
    await request({ method: 'evm_increaseTime', params: [180] });
    await request({ method: 'evm_mine' });
  };

  it('behavior: holds without slippage for any yield since prepare', async () => {
    const [source, target] = [await tripling(), await tripling()];
    const others = [{ ...target, compositeScores: scores(90) }];
    const cases: TestCase[] = [
      { operation: 'deposit', vault: source, request: { amount: '25' }, options },
      { operation: 'redeem', vault: source, request: { percentage: 12.5 }, options },
      { operation: 'rebalance', vault: source, others, options },
    ];
    for (const testCase of cases) expect(await run(testCase, wait)).toBe(kept);
  });
});
