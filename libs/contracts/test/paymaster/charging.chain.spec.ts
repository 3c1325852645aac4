import {
  type Address,
  type Hex,
  type PrivateKeyAccount,
  concatHex,
  erc20Abi,
  getAddress,
  pad,
  parseEther,
  slice,
  zeroHash,
} from 'viem';
import { usdcPaymasterAbi } from '../../src/generated/UsdcPaymaster.js';
import { paymasterCharge } from '../../src/paymaster-cost.js';
import { carelessAccountAbi, carelessAccountBytecode } from '../generated/CarelessAccount.js';
import { localUsdcAbi } from '../generated/LocalUsdc.js';
import {
  type PackedUserOperation,
  approveUsdc,
  buildUserOp,
  configuredAgent,
  delegate,
  executorCall,
  grantOf,
  granting,
  max,
  pair,
  signedOp,
  singleCall,
  transferCall,
  usdcPaymasterAndData,
} from '../support/account.js';
import { expectRefused, handleOps, prefundIn, watch } from '../support/bundle.js';
import { encode } from '../support/calls.js';
import {
  entryPoint,
  ethUsd,
  localContracts,
  operator,
  undoEachTest,
  undone,
  useTestChain,
} from '../support/chain.js';
import { owned, poke, rateOf, setMarkup, usdcOf } from '../support/paymaster.js';
import { handleOpsRevert, revertOf } from '../support/reverts.js';

// The limits that buildUserOp sets, and its fee cap.
const totalGas = 150_000n + 300_000n + 60_000n + 120_000n + 40_000n;
const maxFeePerGas = 3_000_000_000n;
// Whatever the base fee is.
const gasFees = pair(maxFeePerGas, maxFeePerGas);
const unpaid = ['AA34 signature error'];
const { paymaster } = localContracts;

describe('UsdcPaymaster: charging', () => {
  const chain = useTestChain();
  let agent: PrivateKeyAccount;
  undoEachTest(chain);
  beforeEach(async () => {
    agent = await configuredAgent(chain);
  });

  const prefundFor = async (postOpGasLimit = 40_000n) =>
    paymasterCharge({
      tokenPerNative: await rateOf(chain),
      gas: totalGas - 40_000n + postOpGasLimit,
      feePerGas: maxFeePerGas,
      postOpGasLimit,
    });
  const setBlacklister = (address: Address) =>
    chain.node.setStorageAt({ address: chain.usdc, index: 2, value: pad(address) });
  const pokeRevert = async () => handleOpsRevert(chain, await poke(chain, agent));
  /** Run an operation. @returns what became of it, and the gains */
  const run = async (callData: Hex, overrides = {}) => {
    const userOp = await signedOp(chain, agent, callData, overrides);
    const gains = await watch(chain, { agent: agent.address, paymaster });
    return { ...(await handleOps(chain, userOp)), gains: await gains() };
  };

  it.each([500, 0])(
    'default: returns the unused part, and never loses money, at a markup of %d',
    async (markup) => {
      await setMarkup(chain, markup);
      await handleOps(chain, await poke(chain, agent));
      const { outcome, gains } = await run(singleCall(operator.address, '0x', 1n));
      expect(outcome).toMatchObject({ success: true });
      expect(gains.agent.usdc).toBe(-outcome.charged!);
      expect(gains.paymaster).toEqual({ usdc: outcome.charged, wei: 0n, deposit: -outcome.billed });
      // Income at the plain price covers what the entry point took.
      const cost = (outcome.billed * ethUsd) / 10n ** 20n;
      expect(outcome.charged).toBeGreaterThan(cost);
      expect(outcome.charged).toBeLessThan(cost * 2n);
    },
  );

  it.each([40_000n, 40_001n, 500_000n])(
    'behavior: the prefund is that of paymasterCharge at %d for postOp',
    async (limit) => {
      const paymasterAndData = usdcPaymasterAndData(120_000n, limit);
      const { receipt } = await handleOps(chain, await poke(chain, agent, { paymasterAndData }));
      expect(prefundIn(receipt)).toBe(await prefundFor(limit));
    },
  );

  it('behavior: an operation that spends all the USDC of its account pays no more for the refund', async () => {
    const prefund = await prefundFor();
    const chargeThatLeaves = (left: bigint) =>
      undone(chain, async () => {
        const amount = (await usdcOf(chain, agent.address)) - prefund - left;
        const { gains } = await run(transferCall(chain, operator.address, amount), { gasFees });
        return gains.paymaster.usdc;
      });
    expect(await chargeThatLeaves(0n)).toBeLessThanOrEqual(await chargeThatLeaves(1n));
  });

  it('behavior: a refund that takes a second attempt costs more: the balance is what it was before', async () => {
    const { prefund, plain } = await undone(chain, async () => {
      const { receipt, gains } = await run(transferCall(chain, operator.address, 0n), { gasFees });
      return { prefund: prefundIn(receipt)!, plain: gains.paymaster.usdc };
    });
    await chain.setUsdc(operator.address, prefund);
    await approveUsdc(chain, operator, agent.address, prefund);
    const bringBack = encode(erc20Abi, 'transferFrom', [operator.address, agent.address, prefund]);
    const { outcome, gains } = await run(singleCall(chain.usdc, bringBack), { gasFees });
    expect(outcome.success).toBe(true);
    expect(gains.agent.usdc).toBe(prefund - outcome.charged!);
    const second = await chain.read(paymaster, usdcPaymasterAbi, 'SECOND_REFUND_GAS');
    expect(gains.paymaster.usdc - plain).toBeGreaterThan(
      (second * maxFeePerGas * (await rateOf(chain))) / 10n ** 18n,
    );
  });

  it('behavior: charges a reverted operation too', async () => {
    const { outcome, gains } = await run(executorCall('0x'));
    expect(outcome.success).toBe(false);
    expect(gains.agent.usdc).toBe(-outcome.charged!);
  });

  it.each<[string, () => Promise<PackedUserOperation>]>([
    [
      'less USDC than the prefund',
      async () => {
        await chain.setUsdc(agent.address, (await prefundFor()) - 1n);
        return poke(chain, agent);
      },
    ],
    ['a maximum below the prefund', async () => poke(chain, agent, granting((await prefundFor()) - 1n))],
    ['a maximum of zero', () => poke(chain, agent, granting(0n))],
    [
      'an account that USDC has blacklisted',
      async () => {
        await setBlacklister(operator.address);
        await chain.write(chain.usdc, localUsdcAbi, 'blacklist', [agent.address]);
        return poke(chain, agent);
      },
    ],
  ])('error: AA34 for %s: it costs nobody anything', async (_, make) => {
    await expectRefused(chain, operator, [await make()], unpaid);
  });

  it('behavior: exactly the prefund suffices', async () => {
    const prefund = await prefundFor();
    await chain.setUsdc(agent.address, prefund);
    expect((await handleOps(chain, await poke(chain, agent, granting(prefund)))).outcome.success).toBe(true);
  });

  it('error: PaymasterDataMalformed for another length, mark or token', async () => {
    const whole = grantOf(chain.usdc, 10_000_000n);
    const limits = slice(usdcPaymasterAndData(), 0, 52);
    for (const data of [
      '0x',
      slice(whole, 0, 35),
      concatHex([whole, '0x00']),
      concatHex(['0x00', slice(whole, 1)]),
      grantOf(paymaster, 10_000_000n),
    ] as const) {
      const refusal = await handleOpsRevert(
        chain,
        await poke(chain, agent, { paymasterAndData: concatHex([limits, data]) }),
      );
      expect(refusal).toEqual(['AA33 reverted', 'PaymasterDataMalformed']);
    }
  });

  it('error: PaymasterUnknownAccount for one that delegates to other code, or has code of its own', async () => {
    const careless = await chain.deploy(carelessAccountAbi, carelessAccountBytecode);
    await delegate(chain, agent, '0x', careless);
    for (const sender of [agent.address, getAddress(careless)]) {
      await chain.setUsdc(sender, 1_000_000_000n);
      const refusal = await handleOpsRevert(chain, await buildUserOp(chain, sender, '0x'));
      expect(refusal).toEqual(['AA33 reverted', 'PaymasterUnknownAccount', sender]);
    }
  });

  it('error: AA31 without a deposit', async () => {
    await owned(chain, 'withdrawDeposit', [operator.address, parseEther('100')]);
    expect(await pokeRevert()).toEqual(['AA31 paymaster deposit too low']);
  });

  it('error: PaymasterCostAboveCeiling', async () => {
    const cost = await prefundFor();
    await owned(chain, 'setOperationCeiling', [cost - 1n]);
    expect(await pokeRevert()).toEqual(['AA33 reverted', 'PaymasterCostAboveCeiling', cost, cost - 1n]);
    await owned(chain, 'setOperationCeiling', [cost]);
    expect((await handleOps(chain, await poke(chain, agent))).outcome.success).toBe(true);
  });

  it('error: PaymasterOperationTooLong above 8 KiB', async () => {
    // What surrounds the call data of a signed operation in the entry point's call.
    const around = 612n + 96n;
    const longest = await chain.read(paymaster, usdcPaymasterAbi, 'MAX_OPERATION_BYTES');
    const signed = (length: bigint) => signedOp(chain, agent, `0x${'00'.repeat(Number(length))}`);
    await handleOps(chain, await signed(longest - around));
    const refusal = await handleOpsRevert(chain, await signed(longest - around + 1n));
    expect(refusal).toEqual(['AA33 reverted', 'PaymasterOperationTooLong', longest + 32n]);
  });

  it('error: the largest cost there is', async () => {
    const args = [await poke(chain, agent), zeroHash, max] as const;
    const data = encode(usdcPaymasterAbi, 'validatePaymasterUserOp', args);
    // Arithmetic overflow.
    expect(await revertOf(chain, { from: entryPoint, to: paymaster, data })).toEqual(['Panic', 0x11n]);
  });

  it('error: PaymasterRefundFailed charges the whole prefund (a sender blacklisted meanwhile)', async () => {
    // The sender's own call makes the token refuse it: here by blacklisting through a role it holds.
    await setBlacklister(agent.address);
    const blacklist = encode(localUsdcAbi, 'blacklist', [agent.address]);
    const { outcome, receipt, gains } = await run(singleCall(chain.usdc, blacklist));
    expect(gains.paymaster.usdc).toBe(prefundIn(receipt));
    expect(outcome).toMatchObject({ success: false, charged: undefined });
  });
});
