import {
  type Address,
  type Hex,
  type PrivateKeyAccount,
  ContractFunctionExecutionError,
  getAddress,
  parseEventLogs,
} from 'viem';
import { chainFacts } from '../../src/chains/chains.js';
import { usdcPaymasterAbi, usdcPaymasterBytecode } from '../../src/generated/UsdcPaymaster.js';
import { paymasterTermsSlot, updatePaymasterPrice, withoutPriceExpiry } from '../../src/paymaster-price.js';
import { configuredAgent, usdcPaymasterAndData } from '../support/account.js';
import { handleOps } from '../support/bundle.js';
import { encode } from '../support/calls.js';
import {
  type TestChain,
  ethUsd,
  localContracts,
  mineAt,
  undoEachTest,
  undone,
  useTestChain,
} from '../support/chain.js';
import {
  constantRound,
  now,
  poke,
  rateOf,
  setFeed,
  setMarkup,
  settingsOf,
  termsOf,
  updateAt,
  usdcUsdFeed,
} from '../support/paymaster.js';
import { handleOpsRevert, revertOf } from '../support/reverts.js';

const usd = 10n ** 8n;
const { paymaster } = localContracts;
const sequencer = chainFacts(8453).sequencerFeed!;
/** A feed by the name of its pair, and its ordinary answer. */
const feedOf = (chain: TestChain, pair: string): readonly [Address, bigint] =>
  pair === 'ETH/USD' ? [chain.feed, ethUsd] : [usdcUsdFeed(chain), usd];

describe('UsdcPaymaster: price', () => {
  const chain = useTestChain();
  let agent: PrivateKeyAccount;
  beforeAll(async () => {
    agent = await configuredAgent(chain);
  });
  undoEachTest(chain);

  const update = () => chain.write(paymaster, usdcPaymasterAbi, 'updatePrice');
  const updateReverts = () =>
    revertOf(chain, { to: paymaster, data: encode(usdcPaymasterAbi, 'updatePrice') });
  const termsWord = async (address: Address) =>
    (await chain.client.getStorageAt({ address, slot: paymasterTermsSlot })) ?? '0x';
  const setTerms = (value: Hex) =>
    chain.node.setStorageAt({ address: paymaster, index: paymasterTermsSlot, value });

  describe('updatePrice', () => {
    it('default: anyone stores the price, for half an hour on Base', async () => {
      await setMarkup(chain, 7);
      const stranger = chain.walletOf(await chain.agent());
      await setFeed(chain, chain.feed, 3_000n * usd);
      const hash = await updatePaymasterPrice(stranger, chain.client, paymaster);
      const { logs } = await chain.client.getTransactionReceipt({ hash });
      const time = await now(chain);
      const price = { usdcPerNative: 3_000_000_000n, validUntil: Number(time + 1_800n) };
      expect(await termsOf(chain)).toEqual({
        ...price,
        refreshAt: Number(time + 1_620n),
        markupBps: 7,
        operationCeiling: 10_000_000n,
      });
      const events = parseEventLogs({ abi: usdcPaymasterAbi, logs });
      expect(events).toMatchObject([{ eventName: 'PriceUpdated', args: price }]);
    });

    it('behavior: a cheaper USDC makes gas dearer, rounded up, and the markup comes on top, rounded up', async () => {
      await setMarkup(chain, 0);
      for (const [ether, dollar, expected] of [
        [ethUsd + 1n, usd, 2_500_000_001n],
        [ethUsd, 99_000_000n, 2_525_252_526n],
        // As on 11 March 2023.
        [ethUsd, 88_000_000n, 2_840_909_091n],
        [ethUsd, 101_000_000n, 2_475_247_525n],
      ] as const) {
        await setFeed(chain, chain.feed, ether);
        await setFeed(chain, usdcUsdFeed(chain), dollar);
        await update();
        expect(await rateOf(chain)).toBe(expected);
      }
      await setMarkup(chain, 500);
      await setFeed(chain, usdcUsdFeed(chain), 101_000_000n);
      // 2475247525 * 1.05 = 2599009901.25
      expect(await rateOf(chain)).toBe(2_599_009_902n);
    });

    it.each([
      ['ETH/USD', 100n * usd, 100_000n * usd],
      ['USDC/USD', 50_000_000n, 110_000_000n],
    ])('behavior: %s counts within its bounds alone', async (pair, least, most) => {
      const [feed] = feedOf(chain, pair);
      for (const answer of [least - 1n, most + 1n, -1n]) {
        await setFeed(chain, feed, answer);
        expect(await updateReverts()).toEqual(['PaymasterAnswerRejected', getAddress(feed), answer]);
      }
      for (const answer of [least, most]) {
        await setFeed(chain, feed, answer);
        await update();
      }
    });

    it.each([
      ['ETH/USD', 4_800n],
      ['USDC/USD', 90_000n],
    ])(
      'behavior: the price lives no longer than %s, and is stale after its heartbeat',
      async (pair, heartbeat) => {
        const end = (await now(chain)) + 1_000n;
        await setFeed(chain, ...feedOf(chain, pair), end - heartbeat);
        expect((await updateAt(chain, end - 500n)).status).toBe('success');
        const times = { validUntil: Number(end), refreshAt: Number(end - 50n) };
        expect(await termsOf(chain)).toMatchObject(times);
        expect((await updateAt(chain, end - 1n)).status).toBe('success');
        expect((await updateAt(chain, end)).status).toBe('reverted');
        expect(await updateReverts()).toEqual(['PaymasterPriceStale']);
      },
    );

    it.each(['ETH/USD', 'USDC/USD'])(
      'error: PaymasterPriceStale for a round of %s without a time',
      async (pair) => {
        const [address, answer] = feedOf(chain, pair);
        await chain.node.setCode({ address, bytecode: constantRound(answer, 0n) });
        expect(await updateReverts()).toEqual(['PaymasterPriceStale']);
      },
    );

    it('attack: a round from the future lets the price live no longer', async () => {
      await setFeed(chain, chain.feed, ethUsd, 2n ** 60n);
      await update();
      expect((await termsOf(chain)).validUntil).toBe(Number((await now(chain)) + 1_800n));
    });

    it('error: PaymasterSequencerDown while it is down, for an hour after, and before its first report', async () => {
      const down = ['PaymasterSequencerDown'];
      await setFeed(chain, sequencer, 1n, 1n);
      expect(await updateReverts()).toEqual(down);

      const back = (await now(chain)) + 100n;
      await setFeed(chain, sequencer, 0n, back);
      expect((await updateAt(chain, back + 3_599n)).status).toBe('reverted');
      expect((await updateAt(chain, back + 3_600n)).status).toBe('success');

      await chain.node.setCode({ address: sequencer, bytecode: constantRound(0n, 0n) });
      expect(await updateReverts()).toEqual(down);
    });

    it('error: a failure leaves the stored price, and updatePaymasterPrice throws the reason', async () => {
      const before = await termsOf(chain);
      await setFeed(chain, chain.feed, 0n);
      const failure = updatePaymasterPrice(chain.wallet, chain.client, paymaster);
      await expect(failure).rejects.toBeInstanceOf(ContractFunctionExecutionError);
      const cause = { data: { errorName: 'PaymasterAnswerRejected' } };
      await expect(failure).rejects.toMatchObject({ cause });
      expect(await termsOf(chain)).toEqual(before);
    });
  });

  describe('life of a price', () => {
    it('default: operations run until its last second, and are refused afterwards', async () => {
      const { validUntil } = await termsOf(chain);
      const userOp = await poke(chain, agent);
      await undone(chain, async () => {
        await chain.node.setNextBlockTimestamp({ timestamp: BigInt(validUntil) });
        expect((await handleOps(chain, userOp)).outcome).toMatchObject({ success: true });
      });
      await mineAt(chain, validUntil + 1);
      expect(await handleOpsRevert(chain, userOp)).toEqual(['AA32 paymaster expired or not due']);
      await updatePaymasterPrice(chain.wallet, chain.client, paymaster);
      expect((await handleOps(chain, userOp)).outcome).toMatchObject({ success: true });
    });

    it('behavior: validation reads no feed', async () => {
      for (const address of [chain.feed, usdcUsdFeed(chain), sequencer]) {
        await chain.node.setCode({ address, bytecode: '0xfe' });
      }
      expect((await handleOps(chain, await poke(chain, agent))).outcome).toMatchObject({ success: true });
    });

    it('error: PaymasterPriceMissing before the first price', async () => {
      const args = [localContracts.account, settingsOf(chain)];
      const fresh = await chain.deploy(usdcPaymasterAbi, usdcPaymasterBytecode, args);
      expect(await termsOf(chain, fresh)).toEqual({
        usdcPerNative: 0n,
        validUntil: 0,
        refreshAt: 0,
        markupBps: 500,
        operationCeiling: 10_000_000n,
      });
      const missing = ['PaymasterPriceMissing'];
      const data = encode(usdcPaymasterAbi, 'tokenPerNative');
      expect(await revertOf(chain, { to: fresh, data })).toEqual(missing);
      await setTerms(await termsWord(fresh));
      const userOp = await poke(chain, agent);
      expect(await handleOpsRevert(chain, userOp)).toEqual(['AA33 reverted', ...missing]);
    });

    it('behavior: withoutPriceExpiry keeps all but the times, and the price is then neither late nor due', async () => {
      await setMarkup(chain, 1);
      const before = await termsOf(chain);
      await setTerms(withoutPriceExpiry(await termsWord(paymaster)));
      const never = 2 ** 47 - 1;
      const endless = { ...before, validUntil: never, refreshAt: never };
      expect(await termsOf(chain)).toEqual(endless);
      await mineAt(chain, (await now(chain)) + 1_000_000_000n);
      const userOp = await poke(chain, agent, { paymasterAndData: usdcPaymasterAndData(120_000n, 120_000n) });
      expect((await handleOps(chain, userOp)).outcome).toMatchObject({ success: true });
      expect(await termsOf(chain)).toEqual(endless);
    });
  });
});

describe('UsdcPaymaster: price on Ethereum', () => {
  const chain = useTestChain(1);

  it('default: for an hour, with a higher ceiling, and no sequencer is asked', async () => {
    const { validUntil, operationCeiling } = await termsOf(chain);
    const age = BigInt(validUntil) - (await now(chain));
    expect(age).toBeGreaterThan(3_590n);
    expect(age).toBeLessThanOrEqual(3_600n);
    expect(operationCeiling).toBe(250_000_000n);
  });

  it.each([
    ['ETH/USD', 7_200n],
    ['USDC/USD', 86_400n],
  ])('behavior: the heartbeat of %s', async (pair, heartbeat) => {
    await undone(chain, async () => {
      const end = (await now(chain)) + 100n;
      await setFeed(chain, ...feedOf(chain, pair), end - heartbeat);
      expect((await updateAt(chain, end - 1n)).status).toBe('success');
      expect((await updateAt(chain, end)).status).toBe('reverted');
    });
  });
});
