import { type PrivateKeyAccount, parseEventLogs } from 'viem';
import { chainFacts } from '../../src/chains/chains.js';
import { usdcPaymasterAbi } from '../../src/generated/UsdcPaymaster.js';
import { paymasterPostOpGas, paymasterRefreshGas } from '../../src/paymaster-cost.js';
import { configuredAgent, usdcPaymasterAndData } from '../support/account.js';
import { handleOps, watch } from '../support/bundle.js';
import { ethUsd, localContracts, undoEachTest, undone, useTestChain } from '../support/chain.js';
import { owned, poke, setFeed, termsOf, updateAt, usdcUsdFeed } from '../support/paymaster.js';

const { paymaster } = localContracts;

describe('UsdcPaymaster: refresh of the price in postOp', () => {
  const chain = useTestChain();
  let agent: PrivateKeyAccount;
  beforeAll(async () => {
    // Without markup the charge has to cover the bill by itself.
    await owned(chain, 'setMarkup', [0]);
    await owned(chain, 'setOperationCeiling', [50_000_000n]);
    agent = await configuredAgent(chain);
    // Balances, nonce and beneficiary are warm in storage, as in service.
    await run(paymasterRefreshGas);
  });
  undoEachTest(chain);

  /** Run an operation, in a block of this time. Its charge always covers the bill. */
  async function run(postOpGasLimit: bigint, timestamp?: number) {
    const userOp = await poke(chain, agent, {
      paymasterAndData: usdcPaymasterAndData(120_000n, postOpGasLimit, undefined, 50_000_000n),
    });
    const gains = await watch(chain, { paymaster });
    if (timestamp) await chain.node.setNextBlockTimestamp({ timestamp: BigInt(timestamp) });
    const { outcome, receipt } = await handleOps(chain, userOp);
    const { success, charged, billed, rate } = outcome;
    expect(success).toBe(true);
    expect((await gains()).paymaster).toEqual({ usdc: charged, wei: 0n, deposit: -billed });
    /** In base units of USDC at the price that was charged. */
    const cost = (billed * rate!) / 10n ** 18n;
    expect(charged).toBeGreaterThanOrEqual(cost);
    const logs = parseEventLogs({ abi: usdcPaymasterAbi, logs: receipt.logs });
    const refreshed = logs.some(({ eventName }) => eventName === 'PriceUpdated');
    return { paid: charged!, cost, rate, refreshed };
  }

  it('default: not due, the price stays', async () => {
    const before = await termsOf(chain);
    const { refreshed } = await run(paymasterRefreshGas, before.refreshAt - 1);
    expect([refreshed, await termsOf(chain)]).toEqual([false, before]);
  });

  it('default: due, it is stored anew, and the operation pays for it at the price it was validated with', async () => {
    const before = await termsOf(chain);
    const plain = await run(40_000n, before.refreshAt);
    expect(plain.refreshed).toBe(false);

    await setFeed(chain, chain.feed, 3_000n * 10n ** 8n);
    const expensive = await run(paymasterRefreshGas);
    expect(expensive).toMatchObject({ refreshed: true, rate: 2_500_000_000n });
    // More than the penalty for the larger limit: the refresh itself is in the charge.
    expect(expensive.paid - plain.paid).toBeGreaterThan(((paymasterRefreshGas / 10n) * ethUsd) / 10n ** 11n);

    const after = await termsOf(chain);
    expect(after).toMatchObject({ usdcPerNative: 3_000_000_000n, markupBps: 0 });
    expect(after.validUntil).toBeGreaterThan(before.validUntil);
    expect(after.refreshAt).toBe(after.validUntil - 180);
    const next = await run(paymasterRefreshGas);
    expect(next).toMatchObject({ refreshed: false, rate: 3_000_000_000n });
  });

  it.each([
    [90_000n, false],
    [paymasterRefreshGas, true],
  ])('behavior: in the last second of the price, with %d gas for it: %s', async (limit, expected) => {
    const { validUntil } = await termsOf(chain);
    expect((await run(limit, validUntil)).refreshed).toBe(expected);
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
      for (const address of [chain.feed, usdcUsdFeed(chain), chainFacts(8453).sequencerFeed!]) {
        await undone(chain, async () => {
          await chain.node.setCode({ address, bytecode: code });
          expect((await run(1_000_000n, before.refreshAt)).refreshed).toBe(false);
          expect((await run(paymasterRefreshGas)).refreshed).toBe(false);
          expect(await termsOf(chain)).toEqual(before);
        });
      }
    },
  );

  it('behavior: a price out of bounds leaves the old one', async () => {
    const before = await termsOf(chain);
    await setFeed(chain, chain.feed, 1n);
    const { refreshed } = await run(paymasterRefreshGas, before.refreshAt);
    expect([refreshed, await termsOf(chain)]).toEqual([false, before]);
  });

  it('behavior: the charge for postOp alone covers what the entry point bills, closely', async () => {
    const { paid, cost } = await run(40_000n);
    // Less than the whole constant above the bill: most of it is used.
    expect(paid - cost).toBeLessThan((paymasterPostOpGas * 2n * ethUsd) / 10n ** 11n);
  });

  it('behavior: a price that traffic refreshes outlives the first one', async () => {
    const first = await termsOf(chain);
    for (let round = 0; round < 3; round++) {
      const { refreshAt } = await termsOf(chain);
      expect((await run(paymasterRefreshGas, refreshAt)).refreshed).toBe(true);
    }
    const { validUntil } = await termsOf(chain);
    expect(validUntil).toBeGreaterThan(first.validUntil + 2 * 1_620);
    expect((await updateAt(chain, BigInt(validUntil))).status).toBe('success');
  });
});
