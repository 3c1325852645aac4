import { type Address, type Hex, type PrivateKeyAccount, erc20Abi, parseGwei } from 'viem';
import { paymasterCharge } from '../../src/paymaster-cost.js';
import { burningUsdcAbi, burningUsdcDeployedBytecode } from '../generated/BurningUsdc.js';
import { drainerAbi, drainerBytecode } from '../generated/Drainer.js';
import { openModuleAbi, openModuleBytecode } from '../generated/OpenModule.js';
import {
  type PackedUserOperation,
  approveUsdc,
  configuredAgent,
  max,
  pair,
  singleCall,
  usdcPaymasterAndData,
} from './account.js';
import { watch } from './bundle.js';
import { encode } from './calls.js';
import { entryPoint, mineAt, useTestChain } from './chain.js';
import { install, sendToSelf } from './modules.js';
import { placeClockFeed, rateOf, setMarkup, termsOf } from './paymaster.js';

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
    let module: Address;
    beforeAll(async () => {
      await chain.node.setBlockGasLimit({ gasLimit: 100_000_000n });
      if (chainId === 8453) await placeClockFeed(chain);
      attacker = await configuredAgent(chain, 0n);
      module = await chain.deploy(openModuleAbi, openModuleBytecode);
      await sendToSelf(chain, attacker, install(1n, module));
      drainer = await chain.deploy(drainerAbi, drainerBytecode, [chain.usdc, entryPoint, attacker.address]);
      await approveUsdc(chain, attacker, drainer, max);
      await chain.setUsdc(drainer, 10n ** 12n);
      // Balances and nonce are in use, as the attacker wants them.
      await drain({ verification: 60_000n, payment: 90_000n });
    });

    /** Limits for calls that do something, or are long. */
    const long = { verification: 90_000n, payment: 90_000n, call: 60_000n };
    const longest: Hex = `0x${'00'.repeat(7_648)}`;
    const bringBack = (prefund: bigint): Hex =>
      singleCall(chain.usdc, encode(erc20Abi, 'transferFrom', [drainer, attacker.address, prefund]));

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
     * @returns the wei that the paymaster gained at its stored price, and whether the account got a refund
     */
    async function drain({
      times = 1n,
      baseFee = 10n ** 9n,
      callData = (_prefund: bigint): Hex => '0x',
      verification = 19_000n,
      payment = 34_000n,
      call = 0n,
      postOp = 40_000n,
      /** Whether the account has its prefund before the transaction. */
      isFunded = false,
    } = {}) {
      const { fee, prefund } = await dearest(verification + payment + call + postOp, postOp);
      const userOp: PackedUserOperation = {
        sender: attacker.address,
        nonce: BigInt(module) << 96n,
        initCode: '0x',
        callData: callData(prefund),
        accountGasLimits: pair(verification, call),
        preVerificationGas: 0n,
        gasFees: pair(fee, fee),
        paymasterAndData: usdcPaymasterAndData(payment, postOp, chain, prefund),
        signature: '0x',
      };
      const { usdcPerNative } = await termsOf(chain);
      if (isFunded) await chain.setUsdc(attacker.address, prefund);
      const gains = await watch(chain, { paymaster: chain.paymaster });
      await chain.node.setNextBlockBaseFeePerGas({ baseFeePerGas: baseFee });
      const { status } = await chain.mined(
        chain.walletOf(attacker).writeContract({
          address: drainer,
          abi: drainerAbi,
          functionName: 'drain',
          args: [userOp, isFunded ? 0n : prefund, times],
          gas: 90_000_000n,
          maxFeePerGas: baseFee,
          maxPriorityFeePerGas: 0n,
        }),
      );
      const { usdc, deposit } = (await gains()).paymaster;
      const profit = (usdc * 10n ** 18n) / usdcPerNative + deposit;
      return { status, spent: -deposit, profit, isRefunded: usdc < prefund };
    }

    async function expectNoLoss(options: Parameters<typeof drain>[0]) {
      const { status, spent, profit } = await drain(options);
      expect(status).toBe('success');
      expect(spent).toBeGreaterThan(0n);
      expect(profit).toBeGreaterThanOrEqual(0n);
    }

    describe.each([0, 2_000])('with a markup of %i basis points', (markup) => {
      beforeAll(() => setMarkup(chain, markup));

      it.each(runs)('%i operations at a base fee of %s gwei', async (times, baseFee) => {
        await expectNoLoss({ times: BigInt(times), baseFee: parseGwei(baseFee) });
      });
    });

    describe('without a markup', () => {
      beforeAll(() => setMarkup(chain, 0));

      it.each([0n, 1n, 10n ** 9n])('that leaves its account %i base units', async (left) => {
        await chain.setUsdc(attacker.address, left);
        await expectNoLoss({});
        await expectNoLoss({ times: 3n });
      });

      it('whose call brings back what its account paid', async () => {
        await expectNoLoss({ ...long, isFunded: true, callData: bringBack });
      });

      it.each([0n, 20_000n])(
        'with a USDC whose refunds take all the gas they get, and fail below %i',
        async (least) => {
          const code = await chain.client.getCode({ address: chain.usdc });
          await chain.node.setCode({ address: chain.usdc, bytecode: burningUsdcDeployedBytecode });
          await chain.write(chain.usdc, burningUsdcAbi, 'burn', [chain.paymaster, least]);
          await approveUsdc(chain, attacker, drainer, max);
          for (const isFunded of [true, false]) {
            await expectNoLoss({ isFunded });
            await expectNoLoss({ ...long, isFunded, callData: () => longest });
          }
          await chain.node.setCode({ address: chain.usdc, bytecode: code! });
        },
      );

      it('whose calls are as long as the paymaster allows, and no longer', async () => {
        for (const left of [0n, 1n]) {
          await chain.setUsdc(attacker.address, left);
          await expectNoLoss({ ...long, callData: () => longest });
        }
        expect(await drain({ ...long, callData: () => `${longest}00` })).toMatchObject({
          status: 'reverted',
          profit: 0n,
        });
      });

      it('that lets postOp run out of gas, or starves it', async () => {
        for (const postOp of [0n, 10_000n, 20_000n, 30_000n, 34_000n, 200_000n])
          await expectNoLoss({ postOp });
      });

      // The verification of agent-client refuses less.
      it('whose refund fills an empty slot, with the least postOp gas that agents accept', async () => {
        await chain.setUsdc(attacker.address, 0n);
        expect(await drain({ postOp: 37_000n })).toMatchObject({ isRefunded: true });
        expect(await drain({ postOp: 35_000n })).toMatchObject({ isRefunded: false });
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
