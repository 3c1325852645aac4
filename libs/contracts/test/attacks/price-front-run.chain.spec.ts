import type { PrivateKeyAccount } from 'viem';
import { usdcPaymasterAbi } from '../../src/generated/UsdcPaymaster.js';
import { paymasterCharge } from '../../src/paymaster-cost.js';
import { configuredAgent, granting, signedOp, singleCall, usdcPaymasterAndData } from '../support/account.js';
import { bundle, expectRefused, expectRuns, feeOf, watch } from '../support/bundle.js';
import { encode } from '../support/calls.js';
import { localContracts, undoEachTest, undone, useTestChain } from '../support/chain.js';
import { poke, rateOf, setFeed, termsOf } from '../support/paymaster.js';

const { paymaster } = localContracts;
const usd = 10n ** 8n;
const updatePrice = encode(usdcPaymasterAbi, 'updatePrice');
const ceiling = 10_000_000n;
// The limits that buildUserOp sets, and its fee cap.
const gas = 150_000n + 300_000n + 60_000n + 120_000n + 40_000n;
const feePerGas = 3_000_000_000n;

describe('attack: the price is updated around a signed operation', () => {
  const chain = useTestChain();
  let attacker: PrivateKeyAccount;
  let victim: PrivateKeyAccount;
  undoEachTest(chain);
  beforeEach(async () => {
    [attacker, victim] = [await configuredAgent(chain), await configuredAgent(chain)];
  });

  const setPrice = (dollars: bigint) => setFeed(chain, chain.feed, dollars * usd);
  const updateTo = async (dollars: bigint) => {
    await setPrice(dollars);
    await chain.write(paymaster, usdcPaymasterAbi, 'updatePrice', [], attacker);
  };
  const prefund = (tokenPerNative: bigint) =>
    paymasterCharge({ tokenPerNative, gas, feePerGas, postOpGasLimit: 40_000n });

  it('before the bundle: the victim pays for the same gas at the new price, within the ceiling', async () => {
    const userOp = await poke(chain, victim);
    const before = await rateOf(chain);
    const plain = await undone(chain, () => expectRuns(chain, attacker, userOp, 0n));
    await updateTo(3_000n);
    const after = await rateOf(chain);
    expect(after * 5n).toBe(before * 6n);
    const { charged, billed } = await expectRuns(chain, attacker, userOp, 0n);
    // The base fee may differ between the blocks.
    expect(charged! * plain.billed * before).toBeLessThanOrEqual((plain.charged! + 1n) * billed * after);
    expect(charged).toBeLessThan(prefund(after));
    expect(prefund(after)).toBeLessThanOrEqual(ceiling);
  });

  it('before the bundle, above the ceiling: the operation is refused, and stands', async () => {
    const userOp = await poke(chain, victim);
    await updateTo(100_000n);
    await expectRefused(chain, attacker, [userOp], ['AA33 reverted']);
    await updateTo(2_500n);
    await expectRuns(chain, attacker, userOp, 0n);
  });

  it('before the bundle, by 1 %: grants of just the prefund fail and cost nothing, and one of 2 % more runs', async () => {
    const exact = prefund(await rateOf(chain));
    const userOps = [
      await poke(chain, victim, granting(exact)),
      await poke(chain, attacker, granting(exact)),
    ];
    // As prepare sets it.
    const ample = await poke(chain, victim, granting((exact * 102n) / 100n));
    await updateTo(2_525n);
    const bundler = await chain.agent();
    for (const refused of [userOps, userOps.slice(1)])
      await expectRefused(chain, bundler, refused, ['AA34 signature error']);
    await expectRuns(chain, bundler, ample, 0n);
  });

  it.each([
    ['before', 'call'],
    ['before', 'postOp'],
    ['after', 'call'],
  ])(
    'within the bundle, %s the operation, in the %s of the attacker: the victim pays the price of its validation',
    async (place, part) => {
      const before = await rateOf(chain);
      const { refreshAt } = await termsOf(chain);
      const isPostOp = part === 'postOp';
      const updating = await signedOp(chain, attacker, isPostOp ? '0x' : singleCall(paymaster, updatePrice), {
        paymasterAndData: usdcPaymasterAndData(120_000n, isPostOp ? 160_000n : 40_000n),
      });
      const userOp = await poke(chain, victim);
      const userOps = place === 'before' ? [updating, userOp] : [userOp, updating];
      /** What the victim is charged for each unit of gas, while the market is at this price. */
      const chargeAt = (dollars: bigint) =>
        undone(chain, async () => {
          await setPrice(dollars);
          const gains = await watch(chain, { victim: victim.address });
          if (isPostOp) await chain.node.setNextBlockTimestamp({ timestamp: BigInt(refreshAt) });
          const { outcomes } = await bundle(chain, attacker, userOps);
          expect((await rateOf(chain)) * 2_500n).toBe(before * dollars);
          const outcome = outcomes.find(({ sender }) => sender === victim.address)!;
          expect(outcome).toMatchObject({ success: true, rate: before });
          expect((await gains()).victim.usdc).toBe(-outcome.charged!);
          return Number(outcome.charged) / Number(outcome.billed);
        });
      // The base fee may differ a little between the blocks.
      expect((await chargeAt(5_000n)) / (await chargeAt(2_500n))).toBeCloseTo(1, 2);
    },
  );

  describe('known limit: the price is left as it was, and the attacker buys the ether of the paymaster', () => {
    /**
     * What an attacker gains, in base units of USDC, that bundles an operation of its own with gas nobody uses. Without
     * the fee of the transaction, which is next to nothing on Base.
     */
    async function gainAt(dollars: bigint): Promise<bigint> {
      // Almost the ceiling.
      const wei = ((ceiling - 300_000n) * 10n ** 18n) / (await rateOf(chain));
      const userOp = await poke(chain, attacker, { preVerificationGas: wei / feePerGas - gas + 60_000n });
      const gains = await watch(chain, { attacker: attacker.address, paymaster });
      const { receipt } = await bundle(chain, attacker, [userOp]);
      const after = await gains();
      expect(after.paymaster.usdc).toBe(-after.attacker.usdc);
      return ((after.attacker.wei + feeOf(receipt)) * dollars) / 10n ** 12n + after.attacker.usdc;
    }

    it.each([
      [2_625n, 0n],
      // Beyond the markup of 5 %: the difference, of the ceiling.
      [3_000n, (ceiling * 375n) / 2_625n],
    ])('at %d dollars instead of 2500 it gains at most %d', async (dollars, most) => {
      await setPrice(dollars);
      const gain = await gainAt(dollars);
      expect(gain).toBeLessThanOrEqual(most);
      expect(gain > 0n).toBe(most > 0n);
      // Anybody ends it.
      await chain.write(paymaster, usdcPaymasterAbi, 'updatePrice');
      expect(await gainAt(dollars)).toBeLessThan(0n);
    });
  });
});
