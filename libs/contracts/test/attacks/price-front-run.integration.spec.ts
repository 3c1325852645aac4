import { type Hex, type PrivateKeyAccount, concatHex, erc20Abi } from 'viem';
import { usdcPaymasterAbi } from '../../src/generated/UsdcPaymaster.js';
import { paymasterCharge } from '../../src/paymaster-cost.js';
import {
  type PackedUserOperation,
  buildUserOp,
  configuredAgent,
  delegate,
  signUserOp,
  singleCall,
  usdcPaymasterAndData,
} from '../support/account.js';
import { bundle, feeOf, operationNonce, watch } from '../support/bundle.js';
import { encode } from '../support/calls.js';
import { type TestChain, localContracts, startTestChain } from '../support/chain.js';
import { permitData, poke, setFeed, signPermit, termsOf } from '../support/paymaster.js';
import { handleOpsRevert } from '../support/reverts.js';

const { paymaster } = localContracts;
const usd = 10n ** 8n;
const updatePrice = encode(usdcPaymasterAbi, 'updatePrice');
const ceiling = 10_000_000n;
// The limits that buildUserOp sets, and its fee cap.
const gas = 150_000n + 300_000n + 60_000n + 120_000n + 40_000n;
const feePerGas = 3_000_000_000n;
const nothing = { usdc: 0n, wei: 0n, deposit: 0n };

describe('attack: the price is updated around a signed operation', () => {
  let chain: TestChain;
  let attacker: PrivateKeyAccount;
  let victim: PrivateKeyAccount;
  let snapshot: Hex;
  beforeAll(async () => {
    chain = await startTestChain();
  });
  afterAll(() => chain.stop());
  beforeEach(async () => {
    snapshot = await chain.node.snapshot();
    [attacker, victim] = [await configuredAgent(chain), await configuredAgent(chain)];
  });
  afterEach(() => chain.node.revert({ id: snapshot }));

  const update = () => chain.write(paymaster, usdcPaymasterAbi, 'updatePrice', [], attacker);
  const rate = async () => (await chain.read(paymaster, usdcPaymasterAbi, 'tokenPerNative'))[0];
  const prefund = (tokenPerNative: bigint) =>
    paymasterCharge({ tokenPerNative, gas, feePerGas, postOpGasLimit: 40_000n });
  const approve = (amount: bigint) =>
    chain.write(chain.usdc, erc20Abi, 'approve', [paymaster, amount], victim);
  async function expectRefused(userOp: PackedUserOperation, reason: string) {
    const gains = await watch(chain, { victim: victim.address, paymaster });
    expect((await handleOpsRevert(chain, userOp))[0]).toBe(reason);
    expect((await bundle(chain, attacker, [userOp])).receipt.status).toBe('reverted');
    expect(await gains()).toEqual({ victim: nothing, paymaster: nothing });
    expect(await operationNonce(chain, userOp)).toBe(userOp.nonce);
  }

  it('before the bundle: the victim pays for the same gas at the new price, within the ceiling', async () => {
    const userOp = await poke(chain, victim);
    const before = await rate();
    const inner = await chain.node.snapshot();
    const plain = (await bundle(chain, attacker, [userOp])).outcomes[0]!;
    await chain.node.revert({ id: inner });

    await setFeed(chain, chain.feed, 3_000n * usd);
    await update();
    const after = await rate();
    expect(after * 5n).toBe(before * 6n);
    const gains = await watch(chain, { victim: victim.address });
    const { outcomes } = await bundle(chain, attacker, [userOp]);
    const { charged, billed } = outcomes[0]!;
    expect((await gains()).victim.usdc).toBe(-charged!);
    // The base fee may differ between the blocks.
    expect(charged! * plain.billed * before).toBeLessThanOrEqual((plain.charged! + 1n) * billed * after);
    expect(charged).toBeLessThan(prefund(after));
    expect(prefund(after)).toBeLessThanOrEqual(ceiling);
  });

  it('before the bundle, above the ceiling: the operation is refused, and stands', async () => {
    const userOp = await poke(chain, victim);
    await setFeed(chain, chain.feed, 100_000n * usd);
    await update();
    await expectRefused(userOp, 'AA33 reverted');
    await setFeed(chain, chain.feed, 2_500n * usd);
    await update();
    expect((await bundle(chain, attacker, [userOp])).outcomes).toMatchObject([{ success: true }]);
  });

  it.each(['an allowance', 'a permit'])(
    'before the bundle, with %s of what was quoted: the operation is refused, and stands',
    async (means) => {
      const quoted = prefund(await rate());
      let data: Hex = usdcPaymasterAndData();
      if (means === 'an allowance') await approve(quoted);
      else {
        victim = await chain.agent();
        await delegate(chain, victim, '0x');
        await chain.setUsdc(victim.address, 1_000_000_000n);
        data = concatHex([data, permitData(chain, quoted, await signPermit(chain, victim, quoted))]);
      }
      const userOp = await poke(chain, victim, { paymasterAndData: data });
      await setFeed(chain, chain.feed, 2_501n * usd);
      await update();
      await expectRefused(userOp, 'AA34 signature error');
      await setFeed(chain, chain.feed, 2_500n * usd);
      await update();
      expect((await bundle(chain, attacker, [userOp])).outcomes).toMatchObject([{ success: true }]);
    },
  );

  const placings: readonly (readonly [string, string])[] = [
    ['before the operation', 'call'],
    ['before the operation', 'postOp'],
    ['after the operation', 'call'],
  ];
  it.each(placings)(
    'within the bundle, %s, in the %s of the attacker: the victim pays the price of its validation',
    async (place, part) => {
      const before = await rate();
      const { refreshAt } = await termsOf(chain);
      const callData = part === 'call' ? singleCall(paymaster, updatePrice) : '0x';
      const updating = await signUserOp(
        chain,
        attacker,
        await buildUserOp(chain, attacker.address, callData, {
          paymasterAndData: usdcPaymasterAndData(120_000n, part === 'call' ? 40_000n : 160_000n),
        }),
      );
      const userOp = await poke(chain, victim);
      const isFirst = place.startsWith('before');
      /** What the victim is charged for each unit of gas, while the market is at this price. */
      async function chargeAt(dollars: bigint): Promise<number> {
        const inner = await chain.node.snapshot();
        await setFeed(chain, chain.feed, dollars * usd);
        const gains = await watch(chain, { victim: victim.address });
        if (part === 'postOp') await chain.node.setNextBlockTimestamp({ timestamp: BigInt(refreshAt) });
        const { outcomes } = await bundle(chain, attacker, isFirst ? [updating, userOp] : [userOp, updating]);
        expect((await rate()) * 2_500n).toBe(before * dollars);
        const outcome = outcomes[isFirst ? 1 : 0]!;
        expect(outcome).toMatchObject({ sender: victim.address, success: true, rate: before });
        expect((await gains()).victim.usdc).toBe(-outcome.charged!);
        await chain.node.revert({ id: inner });
        return Number(outcome.charged) / Number(outcome.billed);
      }
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
      const wei = ((ceiling - 300_000n) * 10n ** 18n) / (await rate());
      const userOp = await poke(chain, attacker, { preVerificationGas: wei / feePerGas - gas + 60_000n });
      const gains = await watch(chain, { attacker: attacker.address, paymaster });
      const { receipt } = await bundle(chain, attacker, [userOp]);
      const after = await gains();
      expect(after.paymaster.usdc).toBe(-after.attacker.usdc);
      return ((after.attacker.wei + feeOf(receipt)) * dollars) / 10n ** 12n + after.attacker.usdc;
    }

    it.each([
      [2_500n, 0n],
      [2_625n, 0n],
      // Beyond the markup of 5 %: the difference, of the ceiling.
      [3_000n, (ceiling * 375n) / 2_625n],
    ])('at %d dollars instead of 2500 it gains at most %d', async (dollars, most) => {
      await setFeed(chain, chain.feed, dollars * usd);
      const gain = await gainAt(dollars);
      expect(gain).toBeLessThanOrEqual(most);
      expect(gain > 0n).toBe(most > 0n);
      // Anybody ends it.
      await chain.write(paymaster, usdcPaymasterAbi, 'updatePrice');
      expect(await gainAt(dollars)).toBeLessThan(0n);
    });
  });
});
