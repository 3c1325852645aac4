import { type Hex, type PrivateKeyAccount, parseEventLogs } from 'viem';
import { canonical } from '../../src/address-book.js';
import { entryPointV08Abi } from '../../src/generated/EntryPointV08.js';
import { usdcPaymasterAbi } from '../../src/generated/UsdcPaymaster.js';
import { paymasterPostOpGas, paymasterRefreshGas } from '../../src/paymaster-cost.js';
import { configuredAgent, handleOps, usdcPaymasterAndData } from '../support/account.js';
import { type TestChain, entryPoint, ethUsd, localContracts, startTestChain } from '../support/chain.js';
import { owned, poke, setFeed, termsOf, updateAt, usdcOf, usdcUsdFeed } from '../support/paymaster.js';

const { paymaster } = localContracts;

describe('UsdcPaymaster: refresh of the price in postOp', () => {
  let chain: TestChain;
  let agent: PrivateKeyAccount;
  let snapshot: Hex;
  beforeAll(async () => {
    chain = await startTestChain();
    // Without markup the charge has to cover the bill by itself.
    await owned(chain, 'setMarkup', [0]);
    await owned(chain, 'setOperationCeiling', [2n ** 64n - 1n]);
    agent = await configuredAgent(chain);
    // Balances, nonce and beneficiary are warm in storage, as in service.
    await run(paymasterRefreshGas);
  });
  afterAll(() => chain.stop());
  beforeEach(async () => {
    snapshot = await chain.node.snapshot();
  });
  afterEach(() => chain.node.revert({ id: snapshot }));

  const deposit = () => chain.read(entryPoint, entryPointV08Abi, 'balanceOf', [paymaster]);

  /** Run an operation; what it paid, what the entry point took, and what the paymaster said. */
  async function run(postOpGasLimit: bigint) {
    const [usdc, wei] = [await usdcOf(chain, paymaster), await deposit()];
    const userOp = await poke(chain, agent, {
      paymasterAndData: usdcPaymasterAndData(120_000n, postOpGasLimit),
    });
    const { outcome, receipt, events } = await handleOps(chain, userOp);
    expect(outcome).toMatchObject({ success: true });
    expect(events.map(({ eventName }) => eventName)).not.toContain('PostOpRevertReason');
    const paid = (await usdcOf(chain, paymaster)) - usdc;
    const billed = wei - (await deposit());
    expect(billed).toBe((outcome as { actualGasCost: bigint }).actualGasCost);
    const logs = parseEventLogs({ abi: usdcPaymasterAbi, logs: receipt.logs });
    return {
      paid,
      /** What the entry point took, in base units of USDC at the price that was charged. */
      cost: (billed * ethUsd) / 10n ** 20n,
      refreshed: logs.some(({ eventName }) => eventName === 'PriceUpdated'),
      rate: logs.find(({ eventName }) => eventName === 'UserOperationSponsored')?.args as {
        tokenPerNative: bigint;
      },
    };
  }
  const at = (timestamp: number) => chain.node.setNextBlockTimestamp({ timestamp: BigInt(timestamp) });
  /** The first second in which the price is due, for the block that follows. */
  const makeDue = async () => {
    const { refreshAt } = await termsOf(chain);
    await at(refreshAt);
  };

  it('default: not due, the price stays', async () => {
    const before = await termsOf(chain);
    await at(before.refreshAt - 1);
    const { refreshed, paid, cost } = await run(paymasterRefreshGas);
    expect(refreshed).toBe(false);
    expect(await termsOf(chain)).toEqual(before);
    expect(paid).toBeGreaterThanOrEqual(cost);
  });

  it('default: due, it is stored anew, and the operation pays for it at the price it was validated with', async () => {
    const before = await termsOf(chain);
    await makeDue();
    const plain = await run(40_000n);
    expect(plain.refreshed).toBe(false);

    await setFeed(chain, chain.feed, 3_000n * 10n ** 8n);
    const expensive = await run(paymasterRefreshGas);
    expect(expensive).toMatchObject({ refreshed: true, rate: { tokenPerNative: 2_500_000_000n } });
    expect(expensive.paid).toBeGreaterThanOrEqual(expensive.cost);
    // More than the penalty for the larger limit: the refresh itself is in the charge.
    expect(expensive.paid - plain.paid).toBeGreaterThan(((paymasterRefreshGas / 10n) * ethUsd) / 10n ** 11n);

    const after = await termsOf(chain);
    expect(after).toMatchObject({ usdcPerEth: 3_000_000_000n, markupBps: 0 });
    expect(after.validUntil).toBeGreaterThan(before.validUntil);
    expect(after.refreshAt).toBe(after.validUntil - 900);
    const next = await run(paymasterRefreshGas);
    expect(next).toMatchObject({ refreshed: false, rate: { tokenPerNative: 3_000_000_000n } });
  });

  it('behavior: in the last second of the price, and not without gas for it', async () => {
    const { validUntil } = await termsOf(chain);
    for (const [limit, refreshed] of [
      [90_000n, false],
      [paymasterRefreshGas, true],
    ] as const) {
      const before = await chain.node.snapshot();
      await at(validUntil);
      const outcome = await run(limit);
      expect(outcome.refreshed).toBe(refreshed);
      expect(outcome.paid).toBeGreaterThanOrEqual(outcome.cost);
      await chain.node.revert({ id: before });
    }
  });

  it.each([
    ['refuses', '0x5f5ffd'],
    ['answers nothing', '0x'],
    ['takes all gas', '0xfe'],
    ['answers too little', '0x5f5ff3'],
  ] as const)(
    'attack: a feed that %s costs the operation, and neither the price nor the refund',
    async (_, code) => {
      const before = await termsOf(chain);
      for (const address of [chain.feed, usdcUsdFeed(chain), canonical.sequencerFeed[8453]]) {
        const earlier = await chain.node.snapshot();
        await chain.node.setCode({ address, bytecode: code });
        for (const limit of [paymasterRefreshGas, 1_000_000n]) {
          await makeDue();
          const { refreshed, paid, cost } = await run(limit);
          expect(refreshed).toBe(false);
          expect(paid).toBeGreaterThanOrEqual(cost);
          expect(await termsOf(chain)).toEqual(before);
        }
        await chain.node.revert({ id: earlier });
      }
    },
  );

  it('behavior: a price out of bounds leaves the old one', async () => {
    const before = await termsOf(chain);
    await setFeed(chain, chain.feed, 1n);
    await makeDue();
    const { refreshed, paid, cost } = await run(paymasterRefreshGas);
    expect([refreshed, await termsOf(chain)]).toEqual([false, before]);
    expect(paid).toBeGreaterThanOrEqual(cost);
  });

  it('behavior: the charge for postOp alone covers what the entry point bills, closely', async () => {
    const { paid, cost } = await run(40_000n);
    expect(paid).toBeGreaterThanOrEqual(cost);
    // Less than the whole constant above the bill: most of it is used.
    expect(paid - cost).toBeLessThan((paymasterPostOpGas * 2n * ethUsd) / 10n ** 11n);
  });

  it('behavior: a price that traffic refreshes outlives the first one', async () => {
    const first = await termsOf(chain);
    for (let round = 0; round < 3; round++) {
      await makeDue();
      expect((await run(paymasterRefreshGas)).refreshed).toBe(true);
    }
    const { validUntil } = await termsOf(chain);
    expect(validUntil).toBeGreaterThan(first.validUntil + 2 * 900);
    expect((await updateAt(chain, BigInt(validUntil))).status).toBe('success');
  });
});
