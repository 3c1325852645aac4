import { type Address, type Hex, type PrivateKeyAccount, size } from 'viem';
import {
  buildUserOp,
  configuredAgent,
  delegate,
  depositKeepOneHook,
  executorCall,
  max,
  newWallet,
  redeemHook,
  signUserOp,
  usdcPaymasterAndData,
} from './support/account.js';
import { handleOps, usdcFor } from './support/bundle.js';
import { type TestChain, baseForkUrl, useTestChain } from './support/chain.js';
import { sendFirstOperation } from './support/first-operation.js';
import { deployLocalVault, deployVault } from './support/vaults.js';

/** Gas of a transaction that delegates. */
const setupCeiling = 36_900n;
/**
 * Gas of a bundle of one operation: at the receipt, and what the paymaster charges before its markup. A ceiling may only
 * fall. Random addresses change the figures by up to 100.
 */
const ceilings = {
  'first deposit': { receipt: 234_000n, charged: 227_000n },
  'second deposit': { receipt: 179_900n, charged: 179_100n },
  'redeem half': { receipt: 174_000n, charged: 171_200n },
  'redeem all': { receipt: 170_600n, charged: 172_500n },
  'setup and deposit without ether': { receipt: 242_300n, charged: 249_800n },
} as const;
// The verification of agent-client refuses less.
const leastCallGas = 39_000n;

/** Gas of the bytes as calldata of a transaction. */
function calldataGas(data: Hex): bigint {
  let gas = 0n;
  for (let i = 0; i < size(data); i++) gas += data.slice(2 + 2 * i, 4 + 2 * i) === '00' ? 4n : 16n;
  return gas;
}

async function run(
  chain: TestChain,
  agent: PrivateKeyAccount,
  hooks: readonly Hex[],
  { call = 160_000n, postOp = 40_000n, isFirst = false } = {},
) {
  const callData = executorCall(...hooks);
  const limits = { call };
  const paid = { paymasterAndData: usdcPaymasterAndData(120_000n, postOp) };
  // The least gas that a bundler must charge for a lone operation: transaction, calldata and the entry point's frame.
  const draft = await signUserOp(
    chain,
    agent,
    await buildUserOp(chain, agent.address, callData, paid, limits),
  );
  const preVerificationGas =
    21_000n + 9_000n + calldataGas(callData) + calldataGas(draft.signature) + (isFirst ? 25_000n : 0n);
  if (isFirst) return sendFirstOperation(chain, agent, callData, { ...paid, preVerificationGas }, limits);
  return handleOps(chain, await signUserOp(chain, agent, { ...draft, preVerificationGas }));
}

type Run = Awaited<ReturnType<typeof run>>;

function expectBelowCeilings(name: keyof typeof ceilings, { receipt, outcome }: Run) {
  const { success, charged, rate, gasUsed, billed } = outcome!;
  expect(success).toBe(true);
  const chargedGas = (charged! * 10n ** 18n * gasUsed) / (rate! * billed);
  console.info(`${name}: ${receipt.gasUsed} at the receipt, ${chargedGas} charged, ${gasUsed} billed`);
  expect(receipt.gasUsed).toBeLessThanOrEqual(ceilings[name].receipt);
  expect(chargedGas).toBeLessThanOrEqual(ceilings[name].charged);
  expect(charged).toBeGreaterThanOrEqual(usdcFor(billed, rate!));
}

// With `BASE_FORK_URL` the same on a fork of the real Base: with its USDC and its feeds.
const places: readonly (readonly [string, string | undefined])[] = [
  ['a local chain', undefined],
  ...(baseForkUrl ? [['a fork of Base', baseForkUrl] as const] : []),
];

describe.each(places)('gas with the USDC paymaster on %s', (_place, fork) => {
  const chain = useTestChain(8453, { forkUrl: fork });
  let vaults: readonly [Address, Address];
  let agent: PrivateKeyAccount;
  beforeAll(async () => {
    vaults = [await deployLocalVault(chain), await deployLocalVault(chain)];
    // Vault, paymaster and beneficiary have been used before, as in service.
    await run(chain, await configuredAgent(chain), [deposit()]);
    agent = await chain.agent();
    await chain.setUsdc(agent.address, 1_000_000_000n);
  });

  const deposit = (vault = vaults[0], amount = 100_000_000n) =>
    depositKeepOneHook(vault, chain.usdc, amount, 1n);
  const redeem = (shares: bigint, vault = vaults[0]) => redeemHook(vault, chain.usdc, shares, 1n);

  it('setup', async () => {
    const { gasUsed } = await delegate(chain, agent);
    console.info(`setup ${gasUsed}`);
    expect(gasUsed).toBeLessThanOrEqual(setupCeiling);
  });

  it.each([
    ['first deposit', deposit],
    ['second deposit', deposit],
    ['redeem half', () => redeem(100_000_000n)],
    ['redeem all', () => redeem(max)],
  ] as const)('%s', async (name, hook) => {
    expectBelowCeilings(name, await run(chain, agent, [hook()]));
  });

  it('setup and deposit without ether', async () => {
    const wallet = await newWallet(chain);
    expectBelowCeilings(
      'setup and deposit without ether',
      await run(chain, wallet, [deposit()], { isFirst: true }),
    );
  });

  describe('with too little gas, when all storage has been used before', () => {
    let lean: readonly [Address, Address];
    beforeAll(async () => {
      lean = [await deployVault(chain), await deployVault(chain)];
      await run(chain, agent, [deposit(lean[0]), deposit(lean[1])], { call: 300_000n });
    });

    it.each<[string, () => Hex[]]>([
      ['deposit', () => [deposit(lean[0])]],
      ['redeem', () => [redeem(50_000_000n, lean[0])]],
      ['redeem of everything', () => [redeem(max, lean[0])]],
      ['rebalance', () => [redeem(max, lean[0]), deposit(lean[1], max)]],
    ])('behavior: a %s of the leanest vault fails, and is charged', async (_, hooks) => {
      const call = leastCallGas * BigInt(hooks().length);
      const { success, charged } = (await run(chain, agent, hooks(), { call })).outcome!;
      expect([success, charged! > 0n]).toEqual([false, true]);
    });

    it('behavior: with a little more, a redeem runs', async () => {
      const { outcome } = await run(chain, agent, [redeem(50_000_000n, lean[0])], {
        call: leastCallGas + 1_000n,
      });
      expect(outcome!.success).toBe(true);
    });
  });
});
