import { type Address, type Hex, type PrivateKeyAccount } from 'viem';
import {
  type PackedUserOperation,
  allowanceOf,
  balanceOf,
  configuredAgent,
  depositKeepOneHook,
  executorCall,
  pair,
  signedOp,
  usdcPaymasterAndData,
} from '../support/account.js';
import { bundle, nothing, operationNonce, usdcFor, watch } from '../support/bundle.js';
import { localContracts, mineAt, undone, useTestChain } from '../support/chain.js';
import { rateOf, termsOf } from '../support/paymaster.js';
import { deployHostileVault, deployVault, letCall, placeCode } from '../support/vaults.js';

const { paymaster } = localContracts;
const amount = 100_000_000n;
/** Shares and allowances of two vaults, with and without the deposits. */
const both = [amount, 1n, amount, 1n];
const none = [0n, 0n, 0n, 0n];

describe('attack: too little gas (63/64)', () => {
  const chain = useTestChain();
  let vaults: readonly [Address, Address];
  let bundler: PrivateKeyAccount;
  let victim: PrivateKeyAccount;
  beforeAll(async () => {
    vaults = [await deployVault(chain), await deployVault(chain)];
    bundler = await chain.agent();
  });
  beforeEach(async () => {
    victim = await configuredAgent(chain);
  });

  const deposits = (...into: readonly Address[]) =>
    executorCall(...into.map((vault) => depositKeepOneHook(vault, chain.usdc, amount, amount)));
  const sign = (
    overrides: Partial<PackedUserOperation> = {},
    call = 300_000n,
    callData = deposits(...vaults),
  ) => signedOp(chain, victim, callData, overrides, { call });
  const positionsIn = (...all: readonly Address[]) =>
    Promise.all(
      all.flatMap((vault) => [
        balanceOf(chain, vault, victim.address),
        allowanceOf(chain, chain.usdc, victim.address, vault),
      ]),
    );

  /** Send with this gas, look what became of it, and take it back. */
  const attempt = (userOp: PackedUserOperation, gas = 8_000_000n, watched = vaults) =>
    undone(chain, async () => {
      const { validUntil } = await termsOf(chain);
      const gains = await watch(chain, { victim: victim.address, paymaster });
      const { outcomes } = await bundle(chain, bundler, [userOp], { gas });
      return {
        /** Absent when the bundle was refused. */
        outcome: outcomes[0],
        gains: await gains(),
        positions: await positionsIn(...watched),
        isUsed: (await operationNonce(chain, userOp)) > userOp.nonce,
        isRefreshed: (await termsOf(chain)).validUntil > validUntil,
      };
    });

  /** An accepted operation: the victim pays the charge and what it deposited, and the charge covers the bill. */
  function expectPaid({ outcome, gains, positions }: Awaited<ReturnType<typeof attempt>>) {
    const { success, charged, billed, rate } = outcome!;
    expect(positions).toEqual(success ? both : none);
    expect(gains.victim.usdc).toBe(-charged! - (success ? 2n * amount : 0n));
    expect(gains.paymaster).toEqual({ usdc: charged, wei: 0n, deposit: -billed });
    expect(charged).toBeGreaterThanOrEqual(usdcFor(billed, rate!));
    return success;
  }

  /** Least gas with which the entry point accepts the operation. */
  async function leastGas(userOp: PackedUserOperation): Promise<bigint> {
    let [low, high] = [21_000n, 4_000_000n];
    while (high - low > 500n) {
      const middle = (low + high) / 2n;
      const { outcomes } = await undone(chain, () => bundle(chain, bundler, [userOp], { gas: middle }));
      if (outcomes.length > 0) high = middle;
      else low = middle;
    }
    return high;
  }

  it.each<[string, () => Promise<PackedUserOperation>]>([
    ['that leaves the price', () => sign()],
    [
      'that refreshes the price',
      async () => {
        await mineAt(chain, (await termsOf(chain)).refreshAt);
        return sign({ paymasterAndData: usdcPaymasterAndData(120_000n, 160_000n) });
      },
    ],
  ])('from the bundler, to an operation %s: it runs whole, or nothing of it does', async (_, make) => {
    await undone(chain, async () => {
      const userOp = await make();
      const least = await leastGas(userOp);
      const shares = [4n, 6n, 8n, 10n, 11n, 12n].map((part) => (least * part) / 13n);
      const below = [6_000n, 4_000n, 2_000n, 1_000n, 0n, -2_000n, -5_000n].map((gap) => least - gap);
      const seen = new Set<boolean>();
      for (const gas of [...shares, ...below]) {
        const result = await attempt(userOp, gas);
        const { outcome, gains, ...rest } = result;
        seen.add(outcome !== undefined);
        if (outcome) {
          expect(expectPaid(result)).toBe(true);
        } else {
          expect(gains).toEqual({ victim: nothing, paymaster: nothing });
          expect(rest).toEqual({ positions: none, isUsed: false, isRefreshed: false });
        }
      }
      expect(seen).toEqual(new Set([false, true]));
    });
  });

  it('from the signer, to the hooks: both deposits or none, and the paymaster is paid', async () => {
    const seen = new Set<boolean>();
    for (let call = 40_000n; call <= 300_000n; call += 20_000n) {
      seen.add(expectPaid(await attempt(await sign({}, call))));
    }
    expect(seen).toEqual(new Set([false, true]));
  });

  it('from the signer, to postOp: the call is undone, and the paymaster keeps the prefund', async () => {
    const rate = await rateOf(chain);
    const seen = new Set<boolean>();
    for (const limit of [0n, 10_000n, 30_000n, 40_000n]) {
      const result = await attempt(await sign({ paymasterAndData: usdcPaymasterAndData(120_000n, limit) }));
      const { outcome, gains, positions } = result;
      seen.add(outcome!.success);
      if (outcome!.charged !== undefined) expect(expectPaid(result)).toBe(true);
      else {
        expect([outcome!.success, positions]).toEqual([false, none]);
        expect(gains.paymaster.usdc).toBeGreaterThanOrEqual(usdcFor(outcome!.billed, rate));
        expect(gains.victim.usdc).toBe(-gains.paymaster.usdc);
      }
    }
    expect(seen).toEqual(new Set([false, true]));
  });

  it('from a vault that burns what it gets: nothing is deposited before it, and nothing stays allowed', async () => {
    const greedy = await deployHostileVault(chain, chain.usdc, { given: amount });
    // JUMPDEST, PUSH0, JUMP.
    await letCall(chain, greedy, await placeCode(chain, '0x5b5f56'), '0x');
    // So much gas that a sixty-fourth of it is enough to go on.
    const gasFees: Hex = pair(10n ** 8n, 10n ** 8n);
    const into = [vaults[0], greedy] as const;
    const userOp = await sign({ gasFees }, 6_000_000n, deposits(...into));
    expect(expectPaid(await attempt(userOp, 8_000_000n, into))).toBe(false);
  });
});
