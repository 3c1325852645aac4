import {
  localHazardVaultAbi,
  localUsdcAbi,
  localVaults,
  ratePerSecond,
  type LocalVaultKind,
} from '@yield-vault/contracts/local';
import { entryPointV08Abi, yieldExecutorAbi } from '@yield-vault/contracts';
import { createHazards, type Hazards } from '@yield-vault/devnet';
import { TransactionSubmissionError, type ListedVault } from '@yield-vault/protocol';
import { buildListedVault } from '@yield-vault/testing';
import fc from 'fast-check';
import {
  encodeFunctionData,
  erc20Abi,
  formatUnits,
  maxUint256,
  parseUnits,
  type Address,
  type Hex,
} from 'viem';
import { listLocalVault } from '../test/build-catalogue.js';
import { options } from '../test/build-order.js';
import {
  refusalOf,
  startHazardBench,
  type HazardBench,
  type Order,
  type Outcome,
} from '../test/hazard-bench.js';
import { localVault, startLocalDeployment, type LocalDeployment } from '../test/local-deployment.js';

jest.setTimeout(60_000);

const usdc = (amount: string) => parseUnits(amount, 6);
const stranger: Address = '0x3000000000000000000000000000000000000003';
const scores = (balanced: number) => ({ maximize_apy: 1, minimize_risk: 1, balanced });

let local: LocalDeployment;
let hazards: Hazards;
let bench: HazardBench;

beforeAll(async () => {
  local = await startLocalDeployment();
  const { rpcUrls, chainId } = local.chain;
  hazards = createHazards({ rpcUrl: rpcUrls[0]!, chainId: chainId as 8453 });
  bench = await startHazardBench(local, options, listLocalVault(localVault('steady')));
}, 120_000);
afterAll(() => local.stop());

/** What the catalogue says of a hazard vault: nothing wrong, and a price of one asset a share. */
function list(vaultAddress: Address, overrides: Partial<ListedVault> = {}): ListedVault {
  return buildListedVault({
    vaultAddress,
    name: `Hazard ${vaultAddress}`,
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
  const vault = await hazards.deployVault({ name: `hazard ${String(++serial)}`, asset });
  await hazards.depositFor(vault, stranger, usdc('1000000'));
  await hazards.depositFor(vault, bench.wallet, usdc('1000'));
  return vault;
}

/** Carry an order out and check its promise, or name its refusal. What was built must not fail. */
async function carryOut(order: Order, meanwhile?: () => Promise<unknown>): Promise<string> {
  const attempt = await bench.prepare(order).then(
    (execution) => ({ execution }),
    (error: unknown) => ({ refusal: refusalOf(error) }),
  );
  if ('refusal' in attempt) return attempt.refusal;
  await meanwhile?.();
  expectKept(order, await bench.execute(order, attempt.execution));
  return 'as promised';
}

function expectKept({ operation, request }: Order, outcome: Outcome): void {
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
  expect(allowances).toBe(0n);
}

const kept = 'as promised';
const preflight = (reason: string) => `PREFLIGHT_SIMULATION_FAILED ${reason}`;
const reverted = (reason: string) => `TRANSACTION_SUBMISSION_FAILED ${reason}`;
const hazardous = (hazard: string) => `NO_SUITABLE_VAULTS ${hazard}`;

/** What comes of entering a vault, by deposit and by rebalance, and of leaving it the same two ways. */
interface Hazard {
  readonly name: string;
  readonly enter: string;
  readonly leave: string;
  /** What comes of a rebalance into it, when that is something else than of a deposit. */
  readonly move?: string;
  /** Switch the hazard on. */
  arrange(vault: Address, asset: Address): Promise<void>;
  /** A token that can take a fee of every transfer instead of USDC. */
  readonly hasFeeToken?: true;
}

const callOthers = (isForced: boolean, target: () => Address, data: () => Hex) => (vault: Address) =>
  hazards.change(vault, 'setAttack', [target(), data(), isForced]);
const executorEntry = () =>
  encodeFunctionData({ abi: yieldExecutorAbi, functionName: 'execute', args: [`0x03${'00'.repeat(32)}`] });
const emptyBundle = () =>
  encodeFunctionData({ abi: entryPointV08Abi, functionName: 'handleOps', args: [[], stranger] });
const greed = (of: bigint, vault: Address) =>
  encodeFunctionData({ abi: localUsdcAbi, functionName: 'transferFrom', args: [bench.wallet, vault, of] });

/** Have a vault call the view of another one that burns gas. */
async function burn(vault: Address, gas: bigint, isForced = true): Promise<void> {
  const furnace = await hazards.deployVault({ name: `furnace of ${vault}` });
  await hazards.change(furnace, 'setWastedGas', [gas]);
  const preview = { abi: localHazardVaultAbi, functionName: 'previewDeposit', args: [1n] } as const;
  await hazards.change(vault, 'setAttack', [furnace, encodeFunctionData(preview), isForced]);
}

const table: readonly Hazard[] = [
  { name: 'nothing', enter: kept, leave: kept, arrange: async () => {} },
  {
    name: 'an exit fee of 0.3 %',
    enter: kept,
    leave: kept,
    arrange: (vault) => hazards.change(vault, 'setFees', [0n, 30n]),
  },
  {
    name: 'an exit fee of 2 %',
    enter: hazardous('ROUND_TRIP_LOSS'),
    leave: kept,
    arrange: (vault) => hazards.change(vault, 'setFees', [0n, 200n]),
  },
  {
    name: 'an entry fee of 2 %',
    enter: hazardous('ROUND_TRIP_LOSS'),
    leave: kept,
    arrange: (vault) => hazards.change(vault, 'setFees', [200n, 0n]),
  },
  {
    name: 'previewDeposit says 1 % too much',
    enter: hazardous('ROUND_TRIP_GAIN'),
    leave: kept,
    arrange: (vault) => hazards.change(vault, 'setPreviews', [10_100n, 10_000n]),
  },
  {
    name: 'previewDeposit says 1 % too little',
    enter: hazardous('ROUND_TRIP_LOSS'),
    leave: kept,
    arrange: (vault) => hazards.change(vault, 'setPreviews', [9_900n, 10_000n]),
  },
  {
    name: 'previewRedeem says 1 % too much',
    // Who were let in would not get out.
    enter: hazardous('ROUND_TRIP_GAIN'),
    leave: preflight('MinAssetsNotMet'),
    arrange: (vault) => hazards.change(vault, 'setPreviews', [10_000n, 10_100n]),
  },
  {
    name: 'previewRedeem says 1 % too little',
    enter: hazardous('ROUND_TRIP_LOSS'),
    leave: kept,
    arrange: (vault) => hazards.change(vault, 'setPreviews', [10_000n, 9_900n]),
  },
  {
    name: 'both previews say 0.2 % too much',
    enter: kept,
    leave: kept,
    arrange: (vault) => hazards.change(vault, 'setPreviews', [10_020n, 10_020n]),
  },
  {
    name: 'an asset that loses 0.2 % in every transfer',
    enter: kept,
    leave: kept,
    hasFeeToken: true,
    arrange: (_, asset) => hazards.setTransferFee(asset, 20n),
  },
  {
    name: 'an asset that loses 1 % in every transfer',
    enter: kept,
    leave: preflight('MinAssetsNotMet'),
    // It leaves another vault of this asset first.
    move: preflight('MinAssetsNotMet'),
    hasFeeToken: true,
    arrange: (_, asset) => hazards.setTransferFee(asset, 100n),
  },
  {
    name: 'decimals of shares that are not those of the catalogue',
    enter: hazardous('DECIMALS_MISMATCH'),
    leave: kept,
    arrange: (vault) => hazards.change(vault, 'setDecimals', [18]),
  },
  {
    name: 'a price that a donation moved by 5 % since the catalogue looked',
    enter: hazardous('PRICE_JUMP'),
    leave: kept,
    arrange: async (vault, asset) => {
      await hazards.change(vault, 'setDonatable', []);
      await hazards.mint(asset, vault, usdc('50050'));
    },
  },
  {
    name: 'a loss of 5 % since the catalogue looked',
    enter: hazardous('PRICE_JUMP'),
    leave: kept,
    arrange: (vault) => hazards.change(vault, 'realiseLoss', [usdc('50050')]),
  },
  {
    name: 'previews that burn a million gas',
    enter: kept,
    leave: kept,
    arrange: (vault) => hazards.change(vault, 'setWastedGas', [1_000_000n]),
  },
  {
    name: 'previews that burn 36 million gas',
    enter: preflight('NO_REASON'),
    leave: preflight('NO_REASON'),
    arrange: (vault) => hazards.change(vault, 'setWastedGas', [36_000_000n]),
  },
  {
    name: 'previews that never end',
    enter: preflight('NO_REASON'),
    leave: preflight('NO_REASON'),
    arrange: (vault) => hazards.change(vault, 'setWastedGas', [maxUint256]),
  },
  {
    name: 'a call into the executor in between that may fail',
    enter: kept,
    leave: kept,
    arrange: callOthers(false, () => local.chain.contracts.executor, executorEntry),
  },
  {
    name: 'a call into the executor in between that must not fail',
    enter: preflight('ExecutorReentered'),
    leave: preflight('ExecutorReentered'),
    arrange: callOthers(true, () => local.chain.contracts.executor, executorEntry),
  },
  {
    name: 'a call into the entry point in between that must not fail',
    enter: preflight('ReentrancyGuardReentrantCall'),
    leave: preflight('ReentrancyGuardReentrantCall'),
    arrange: callOthers(true, () => local.chain.entryPoint, emptyBundle),
  },
  {
    name: 'entries and exits that burn two million gas',
    enter: kept,
    leave: kept,
    arrange: (vault) => burn(vault, 2_000_000n),
  },
  {
    name: 'entries and exits that burn 36 million gas',
    enter: preflight('FailedCall'),
    leave: preflight('FailedCall'),
    arrange: (vault) => burn(vault, 36_000_000n),
  },
  {
    name: 'entries and exits that burn all but a little of their gas',
    // What the bundler says of it, with other words than a revert.
    enter: 'TRANSACTION_SUBMISSION_FAILED',
    leave: 'TRANSACTION_SUBMISSION_FAILED',
    arrange: (vault) => burn(vault, maxUint256, false),
  },
  {
    name: 'more taken in between than was given',
    enter: preflight('INSUFFICIENT_ALLOWANCE'),
    leave: kept,
    arrange: (vault) =>
      hazards.change(vault, 'setAttack', [local.chain.usdc, greed(usdc('1'), vault), false]),
  },
];

describe.each(table)('a vault with $name', (hazard) => {
  let risky: ListedVault;
  let abandoned: ListedVault;
  let plain: ListedVault;

  beforeAll(async () => {
    const asset = hazard.hasFeeToken
      ? await hazards.deployFeeToken(`token ${hazard.name}`)
      : local.chain.usdc;
    if (hazard.hasFeeToken) await hazards.mint(asset, bench.wallet, usdc('100000'));
    const listed = hazard.hasFeeToken ? { asset: { symbol: 'FEE', address: asset, decimals: 6 } } : {};
    // All have their depositors before anything goes wrong.
    const [first, second, third] = [await openVault(asset), await openVault(asset), await openVault(asset)];
    await hazard.arrange(first, asset);
    await hazard.arrange(second, asset);
    [risky, abandoned, plain] = [list(first, listed), list(second, listed), list(third, listed)];
  });
  const above = (vault: ListedVault) => ({ ...vault, compositeScores: scores(90) });

  it('enter by deposit', async () => {
    const order: Order = { operation: 'deposit', vault: risky, request: { amount: '25' } };
    expect(await carryOut(order)).toBe(hazard.enter);
  });
  it('enter by rebalance', async () => {
    const order: Order = { operation: 'rebalance', vault: plain, others: [above(risky)] };
    expect(await carryOut(order)).toBe(hazard.move ?? hazard.enter);
  });
  it('leave by shares, by percentage and altogether', async () => {
    for (const request of [{ shares: '123456789' }, { percentage: 12.5 }, { percentage: 100 }]) {
      expect(await carryOut({ operation: 'redeem', vault: risky, request })).toBe(hazard.leave);
    }
  });
  it('leave by rebalance', async () => {
    const order: Order = { operation: 'rebalance', vault: abandoned, others: [above(plain)] };
    expect(await carryOut(order)).toBe(hazard.leave);
  });
});

const accepted = { enter: kept, leave: kept };
/** What comes of a deposit and of a redeem, were discovery to list all of them. */
const ofKind: Readonly<Record<LocalVaultKind, { readonly enter: string; readonly leave?: string }>> = {
  ...{ steady: accepted, faster: accepted, lossy: accepted, impostor: accepted, gap: accepted },
  ...{ capped: accepted, 'exit-fee': accepted, 'zero-limit': accepted, 'gas-bomb': accepted },
  paused: { enter: 'VAULT_AT_CAPACITY EnforcedPause' },
  async: { enter: hazardous('NO_EXIT_QUOTE') },
  whitelist: { enter: preflight('AccessControlUnauthorizedAccount') },
  minimum: { enter: preflight('deposit below minimum') },
  mislabelled: { enter: hazardous('ASSET_MISMATCH') },
};

describe.each(Object.entries(ofKind))('a local vault of the kind %s', (kind, { enter, leave }) => {
  it('enter by deposit and leave altogether', async () => {
    const vault = localVaults[8453].find((each) => each.kind === kind)!;
    const { sharePrice, registeredAsset: asset = vault.asset } = vault;
    const listed = listLocalVault({ ...vault, asset }, { sharePrice });
    const deposit: Order = { operation: 'deposit', vault: listed, request: { amount: '25' } };
    expect(await carryOut(deposit)).toBe(enter);
    if (leave) {
      const redeem: Order = { operation: 'redeem', vault: listed, request: { percentage: 100 } };
      expect(await carryOut(redeem)).toBe(leave);
    }
  });
});

describe('a catalogue that is wrong', () => {
  const deposit = (vault: ListedVault, amount: string) =>
    carryOut({ operation: 'deposit', vault, request: { amount } });

  it('error: ASSET_MISMATCH when the vault holds another asset', async () => {
    const address = await hazards.deployFeeToken('not the asset');
    await hazards.mint(address, bench.wallet, usdc('1000'));
    const vault = list(await openVault(), { asset: { symbol: 'FEE', address, decimals: 6 } });
    for (const amount of ['25', '25000'])
      expect(await deposit(vault, amount)).toBe(hazardous('ASSET_MISMATCH'));
  });

  it('error: DECIMALS_MISMATCH when the asset has others', async () => {
    const asset = { symbol: 'USDC', address: local.chain.usdc, decimals: 18 };
    const vault = list(await openVault(), { asset });
    // Ten USDC in base units of the real token, and what the wallet could never have.
    for (const amount of ['0.00000000001', '10'])
      expect(await deposit(vault, amount)).toBe(hazardous('DECIMALS_MISMATCH'));
  });
});

describe('a vault that is no contract', () => {
  it('error: ASSET_MISMATCH on entry, and nothing to redeem', async () => {
    const vault = list('0x4000000000000000000000000000000000000004');
    const deposit: Order = { operation: 'deposit', vault, request: { amount: '25' } };
    expect(await carryOut(deposit)).toBe(hazardous('ASSET_MISMATCH'));
    const redeem: Order = { operation: 'redeem', vault, request: { percentage: 100 } };
    expect(await carryOut(redeem)).toBe(preflight('NO_REASON'));
  });
});

describe('a vault with few depositors', () => {
  const deposit = (vault: Address, amount: string) =>
    carryOut({ operation: 'deposit', vault: list(vault), request: { amount } });

  it('error: EMPTY_VAULT for the first of them', async () => {
    expect(await deposit(await hazards.deployVault({ name: 'empty' }), '25')).toBe(hazardous('EMPTY_VAULT'));
  });

  it('error: EMPTY_VAULT after one base unit and a donation', async () => {
    const vault = await hazards.deployVault({ name: 'inflated' });
    await hazards.change(vault, 'setDonatable', []);
    await hazards.depositFor(vault, stranger, 1n);
    await hazards.mint(local.chain.usdc, vault, usdc('10000'));
    expect(await deposit(vault, '25')).toBe(hazardous('EMPTY_VAULT'));
    expect(await deposit(vault, '25000')).toBe(hazardous('EMPTY_VAULT'));
  });

  it('error: TINY_DEPOSIT for one that is a few shares; of many, rounding takes next to nothing', async () => {
    const vault = await hazards.deployVault({ name: 'dear shares' });
    await hazards.change(vault, 'setDonatable', []);
    await hazards.depositFor(vault, stranger, 2_000n);
    await hazards.mint(local.chain.usdc, vault, usdc('20000'));
    const risky = list(vault, { sharePrice: 10_000_000 });
    const order = (amount: string): Order => ({ operation: 'deposit', vault: risky, request: { amount } });
    expect(await carryOut(order('25'))).toBe(hazardous('TINY_DEPOSIT'));
    expect(await carryOut(order('25000'))).toBe(kept);
  });

  it('error: TINY_DEPOSIT for one base unit of a healthy vault', async () => {
    expect(await deposit(await openVault(), '0.000001')).toBe(hazardous('TINY_DEPOSIT'));
  });
});

describe('what happens between prepare and execute', () => {
  const donation = (vault: Address, amount: string) => () =>
    hazards.mint(local.chain.usdc, vault, usdc(amount));
  const loss = (vault: Address, amount: string) => () => hazards.change(vault, 'realiseLoss', [usdc(amount)]);
  const donatable = async () => {
    const vault = await openVault();
    await hazards.change(vault, 'setDonatable', []);
    return vault;
  };
  /** An order that was built, and reverts on chain with this reason because of what happened since. */
  const failing = async (order: Order, meanwhile: () => Promise<unknown>) => {
    const error: unknown = await carryOut(order, meanwhile).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(TransactionSubmissionError);
    return refusalOf(error);
  };

  const sharesOf = (vault: Address) => balanceOf(vault, bench.wallet);
  const balanceOf = (token: Address, owner: Address) =>
    local.chain.rpc.readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [owner] });
  const deposit = (vault: Address): Order => ({
    operation: 'deposit',
    vault: list(vault),
    request: { amount: '25' },
  });
  const redeem = (vault: Address): Order => ({
    operation: 'redeem',
    vault: list(vault),
    request: { percentage: 100 },
  });

  it('behavior: a donation of 0.3 % leaves a deposit within its bound', async () => {
    const vault = await donatable();
    expect(await carryOut(deposit(vault), donation(vault, '3000'))).toBe(kept);
  });

  it('behavior: a loss of 0.3 % leaves a redeem within its bound', async () => {
    const vault = await openVault();
    expect(await carryOut(redeem(vault), loss(vault, '3000'))).toBe(kept);
  });

  it('behavior: a donation of 10 % before a redeem is the redeemer’s', async () => {
    const vault = await donatable();
    expect(await carryOut(redeem(vault), donation(vault, '100000'))).toBe(kept);
  });

  it('attack: a donation of 1 % ahead of a deposit: nothing is deposited', async () => {
    const vault = await donatable();
    const shares = await sharesOf(vault);
    const dollars = await balanceOf(local.chain.usdc, bench.wallet);
    expect(await failing(deposit(vault), donation(vault, '10000'))).toBe(reverted('MinSharesNotMet'));
    expect(await sharesOf(vault)).toBe(shares);
    expect(dollars - (await balanceOf(local.chain.usdc, bench.wallet))).toBeLessThan(usdc('1'));
  });

  it('attack: a loss of 1 % ahead of a redeem: the shares stay', async () => {
    const vault = await openVault();
    const shares = await sharesOf(vault);
    expect(await failing(redeem(vault), loss(vault, '10000'))).toBe(reverted('MinAssetsNotMet'));
    expect(await sharesOf(vault)).toBe(shares);
  });

  it('attack: a donation of 1 % to the target of a rebalance: the position stays where it was', async () => {
    const [source, target] = [await openVault(), await donatable()];
    const before = await Promise.all([sharesOf(source), sharesOf(target)]);
    const order: Order = {
      operation: 'rebalance',
      vault: list(source),
      others: [list(target, { compositeScores: scores(90) })],
    };
    expect(await failing(order, donation(target, '10000'))).toBe(reverted('MinSharesNotMet'));
    expect(await Promise.all([sharesOf(source), sharesOf(target)])).toEqual(before);
  });

  it('attack: a sandwich takes no more than the slippage', async () => {
    // The attacker owns all of a small vault; what is donated to it comes back, and the victim's rounding with it.
    const vault = await hazards.deployVault({ name: 'sandwich' });
    await hazards.change(vault, 'setDonatable', []);
    await hazards.depositFor(vault, stranger, usdc('1000'));
    expect(await carryOut(deposit(vault), donation(vault, '4.9'))).toBe(kept);
    const worth = await local.chain.rpc.readContract({
      ...{ address: vault, abi: localHazardVaultAbi, functionName: 'previewRedeem' },
      args: [await sharesOf(vault)],
    });
    expect(worth).toBeGreaterThanOrEqual((usdc('25') * 9_950n) / 10_000n);
  });

  it('error: PREFLIGHT_SIMULATION_FAILED when it is the vault that cannot pay', async () => {
    const vault = await openVault();
    const lend = encodeFunctionData({
      ...{ abi: localUsdcAbi, functionName: 'transfer', args: [stranger, usdc('2000000')] },
    });
    await hazards.change(vault, 'setAttack', [local.chain.usdc, lend, true]);
    expect(await carryOut(redeem(vault))).toBe(preflight('INSUFFICIENT_BALANCE'));
  });
});

describe('any vault at all', () => {
  const hazard = fc.record({
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

  it('property: what was built succeeds, whatever the vault takes and says', async () => {
    const plain = list(await openVault(), { compositeScores: scores(90) });
    const outcomes = new Set<string>();
    const property = fc.asyncProperty(
      hazard,
      fc.array(action, { minLength: 2, maxLength: 4 }),
      async (of, actions) => {
        const { decimalsOffset } = of;
        const vault = await hazards.deployVault({ name: `hazard ${String(++serial)}`, decimalsOffset });
        await hazards.depositFor(vault, stranger, usdc('1000000'));
        await hazards.depositFor(vault, bench.wallet, usdc('1000'));
        await hazards.mint(local.chain.usdc, vault, of.earned);
        await hazards.change(vault, 'harvest', [of.earned]);
        await hazards.change(vault, 'realiseLoss', [of.lost]);
        await hazards.change(vault, 'setFees', [of.entryFeeBps, of.exitFeeBps]);
        await hazards.change(vault, 'setPreviews', [of.depositPreviewBps, of.redeemPreviewBps]);
        const risky = list(vault, { shareDecimals: 6 + decimalsOffset, sharePrice: 0 });
        for (const request of actions) {
          const operation =
            'amount' in request ? 'deposit' : Object.keys(request).length > 0 ? 'redeem' : 'rebalance';
          outcomes.add(await carryOut({ operation, vault: risky, others: [plain], request }));
        }
      },
    );
    await fc.assert(property, { numRuns: 25, seed: 7579, endOnFailure: true });
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
    await hazards.change(vault, 'setRate', [ratePerSecond(200)]);
    // What it earns is paid out of what it holds besides.
    await hazards.mint(local.chain.usdc, vault, usdc('1000000'));
    return list(vault, { apy: { now: 200, week: 200, month: 200 } });
  };
  const options = { maxSlippageBps: 0 };
  const wait = async () => {
    const request = local.chain.rpc.request as (args: object) => Promise<unknown>;
    await request({ method: 'evm_increaseTime', params: [180] });
    await request({ method: 'evm_mine' });
  };

  it('behavior: holds without any slippage, whatever accrued meanwhile', async () => {
    const [source, target] = [await tripling(), await tripling()];
    const others = [{ ...target, compositeScores: scores(90) }];
    const orders: Order[] = [
      { operation: 'deposit', vault: source, request: { amount: '25' }, options },
      { operation: 'redeem', vault: source, request: { percentage: 12.5 }, options },
      { operation: 'rebalance', vault: source, others, options },
    ];
    for (const order of orders) expect(await carryOut(order, wait)).toBe(kept);
  });
});
