import { type Address, type Hex, type PrivateKeyAccount, parseGwei } from 'viem';
import { paymasterCharge } from '../../src/paymaster-cost.js';
import { drainerAbi, drainerBytecode } from '../generated/Drainer.js';
import { type PackedUserOperation, pair, usdcPaymasterAndData } from './account.js';
import { watch } from './bundle.js';
import { entryPoint, localContracts, mineAt, useTestChain } from './chain.js';
import { owned, placeClockFeed, rateOf, termsOf } from './paymaster.js';

const { paymaster } = localContracts;

/**
 * Describe an attacker that gives its own account the prefund, calls handleOps, takes the refund and the fees, and
 * repeats. It chooses the fee of its operations, while its transaction pays the base fee.
 *
 * @param runs - how many operations one transaction bundles, and at which base fee in gwei
 */
export function describeDrain(
  chainId: 1 | 8453,
  runs: readonly (readonly [times: number, baseFee: string])[],
): void {
  describe(`attack: a contract that bundles for itself, on chain ${chainId}`, () => {
    const chain = useTestChain(chainId);
    let attacker: PrivateKeyAccount;
    let drainer: Address;
    let account: Address;
    beforeAll(async () => {
      await chain.node.setBlockGasLimit({ gasLimit: 100_000_000n });
      if (chainId === 8453) await placeClockFeed(chain);
      attacker = await chain.agent();
      drainer = await chain.deploy(drainerAbi, drainerBytecode, [chain.usdc, entryPoint, paymaster]);
      account = await chain.read(drainer, drainerAbi, 'account');
      await chain.setUsdc(drainer, 10n ** 12n);
      // Balances and nonce are in use, as the attacker wants them.
      await drain({ verification: 60_000n, payment: 90_000n });
    });

    /** The fee at which the prefund is just within the ceiling, and the prefund. */
    async function dearest(gas: bigint, postOpGasLimit: bigint) {
      const tokenPerNative = await rateOf(chain);
      const { operationCeiling } = await termsOf(chain);
      const charge = (feePerGas: bigint) =>
        paymasterCharge({ tokenPerNative, gas, feePerGas, postOpGasLimit });
      const unit = 10n ** 12n;
      const fee = (operationCeiling * unit) / charge(unit);
      return { fee, prefund: charge(fee) };
    }

    /**
     * Run the attack in one transaction. The limits are the least that suffice.
     *
     * @returns wei that the paymaster gained at its stored price, and what it gained of the markup's share
     */
    async function drain({
      times = 1n,
      baseFee = 10n ** 9n,
      callData = '0x' as Hex,
      verification = 14_000n,
      payment = 38_000n,
      postOp = 40_000n,
    } = {}) {
      const call = callData === '0x' ? 0n : 10_000n;
      const { fee, prefund } = await dearest(verification + payment + call + postOp, postOp);
      const userOp: PackedUserOperation = {
        sender: account,
        nonce: 0n,
        initCode: '0x',
        callData,
        accountGasLimits: pair(verification, call),
        preVerificationGas: 0n,
        gasFees: pair(fee, fee),
        paymasterAndData: usdcPaymasterAndData(payment, postOp),
        signature: '0x',
      };
      const { usdcPerEth } = await termsOf(chain);
      const gains = await watch(chain, { paymaster });
      await chain.node.setNextBlockBaseFeePerGas({ baseFeePerGas: baseFee });
      const { status } = await chain.mined(
        chain.walletOf(attacker).writeContract({
          address: drainer,
          abi: drainerAbi,
          functionName: 'drain',
          args: [userOp, prefund, times],
          gas: 90_000_000n,
          maxFeePerGas: baseFee,
          maxPriorityFeePerGas: 0n,
        }),
      );
      const { usdc, deposit } = (await gains()).paymaster;
      return { status, spent: -deposit, profit: (usdc * 10n ** 18n) / usdcPerEth + deposit };
    }

    async function expectNoLoss(options: Parameters<typeof drain>[0]) {
      const { status, spent, profit } = await drain(options);
      expect(status).toBe('success');
      expect(spent).toBeGreaterThan(0n);
      expect(profit).toBeGreaterThanOrEqual(0n);
    }

    describe.each([0, 2_000])('with a markup of %i basis points', (markup) => {
      beforeAll(() => owned(chain, 'setMarkup', [markup]));

      it.each(runs)('%i operations at a base fee of %s gwei', async (times, baseFee) => {
        await expectNoLoss({ times: BigInt(times), baseFee: parseGwei(baseFee) });
      });
    });

    describe('without a markup', () => {
      beforeAll(() => owned(chain, 'setMarkup', [0]));

      it.each([0n, 1n, 10n ** 9n])('that leaves its account %i base units', async (left) => {
        await chain.setUsdc(account, left);
        await expectNoLoss({ times: 3n });
      });

      it('whose calls are as long as the paymaster allows, and no longer', async () => {
        const long = { verification: 90_000n, payment: 90_000n };
        const callData: Hex = `0x${'00'.repeat(7_680)}`;
        await expectNoLoss({ ...long, callData });
        await chain.setUsdc(account, 1n);
        await expectNoLoss({ ...long, callData });
        expect(await drain({ ...long, callData: `${callData}00` })).toMatchObject({
          status: 'reverted',
          profit: 0n,
        });
      });

      it('that lets postOp run out of gas, or starves it', async () => {
        for (const postOp of [0n, 10_000n, 20_000n, 30_000n, 34_000n, 200_000n])
          await expectNoLoss({ postOp });
      });

      it('that refreshes the price', async () => {
        const { refreshAt } = await termsOf(chain);
        await mineAt(chain, refreshAt);
        await expectNoLoss({ times: 2n, postOp: 160_000n });
        expect((await termsOf(chain)).refreshAt).toBeGreaterThan(refreshAt);
      });
    });
  });
}
