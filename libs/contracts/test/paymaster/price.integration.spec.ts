import {
  type Address,
  type Hex,
  type PrivateKeyAccount,
  ContractFunctionExecutionError,
  getAddress,
  parseEventLogs,
  zeroHash,
} from 'viem';
import { canonical } from '../../src/address-book.js';
import { usdcPaymasterAbi, usdcPaymasterBytecode } from '../../src/generated/UsdcPaymaster.js';
import { paymasterTermsSlot, updatePaymasterPrice, withoutPriceExpiry } from '../../src/paymaster-price.js';
import {
  type PackedUserOperation,
  configuredAgent,
  handleOps,
  usdcPaymasterAndData,
} from '../support/account.js';
import {
  type TestChain,
  entryPoint,
  ethUsd,
  localContracts,
  operator,
  startTestChain,
} from '../support/chain.js';
import {
  constantRound,
  now,
  owned,
  poke,
  setFeed,
  termsOf,
  updateAt,
  usdcUsdFeed,
} from '../support/paymaster.js';
import { handleOpsRevert, revertOf } from '../support/reverts.js';
import { encode } from '../support/calls.js';

const usd = 10n ** 8n;
const { paymaster } = localContracts;
const update = encode(usdcPaymasterAbi, 'updatePrice');

describe('UsdcPaymaster: price', () => {
  let chain: TestChain;
  let agent: PrivateKeyAccount;
  let snapshot: Hex;
  beforeAll(async () => {
    chain = await startTestChain();
    agent = await configuredAgent(chain);
  });
  afterAll(() => chain.stop());
  beforeEach(async () => {
    snapshot = await chain.node.snapshot();
  });
  afterEach(() => chain.node.revert({ id: snapshot }));

  const updateReverts = () => revertOf(chain, { to: paymaster, data: update });
  const rate = async () => (await chain.read(paymaster, usdcPaymasterAbi, 'tokenPerNative'))[0];
  const validate = async (userOp: PackedUserOperation) => {
    const { result } = await chain.client.simulateContract({
      address: paymaster,
      abi: usdcPaymasterAbi,
      functionName: 'validatePaymasterUserOp',
      args: [userOp, zeroHash, 0n],
      account: entryPoint,
    });
    return result;
  };
  const setTerms = (value: Hex) =>
    chain.node.setStorageAt({ address: paymaster, index: paymasterTermsSlot, value });
  const storedTerms = async () =>
    (await chain.client.getStorageAt({ address: paymaster, slot: paymasterTermsSlot })) ?? '0x';

  describe('updatePrice', () => {
    it('default: anyone stores the price, for half an hour on Base', async () => {
      await owned(chain, 'setMarkup', [7]);
      const stranger = await chain.agent();
      await setFeed(chain, chain.feed, 3_000n * usd);
      const hash = await updatePaymasterPrice(chain.walletOf(stranger), chain.client, paymaster);
      const { status, logs } = await chain.client.getTransactionReceipt({ hash });
      expect(status).toBe('success');
      const time = await now(chain);
      expect(await termsOf(chain)).toEqual({
        usdcPerEth: 3_000_000_000n,
        validUntil: Number(time + 1_800n),
        refreshAt: Number(time + 900n),
        markupBps: 7,
        operationCeiling: 10_000_000n,
      });
      const events = parseEventLogs({ abi: usdcPaymasterAbi, logs });
      expect(events.map(({ eventName, args }) => [eventName, args])).toEqual([
        ['PriceUpdated', { usdcPerEth: 3_000_000_000n, validUntil: Number(time + 1_800n) }],
      ]);
    });

    it('behavior: a cheaper USDC makes gas dearer, rounded up, and the markup comes on top, rounded up', async () => {
      await owned(chain, 'setMarkup', [0]);
      for (const [ether, dollar, expected] of [
        [ethUsd, usd, 2_500_000_000n],
        [ethUsd + 1n, usd, 2_500_000_001n],
        [ethUsd, 99_000_000n, 2_525_252_526n],
        [ethUsd, 101_000_000n, 2_475_247_525n],
      ] as const) {
        await setFeed(chain, chain.feed, ether);
        await setFeed(chain, usdcUsdFeed(chain), dollar);
        await chain.write(paymaster, usdcPaymasterAbi, 'updatePrice');
        expect(await rate()).toBe(expected);
      }
      await owned(chain, 'setMarkup', [500]);
      // 2475247525 * 1.05 = 2599009901.25
      expect(await rate()).toBe(2_599_009_902n);
    });

    it.each([
      ['ETH/USD', 100n * usd, 100_000n * usd],
      ['USDC/USD', 90_000_000n, 110_000_000n],
    ])('behavior: %s counts within its bounds alone', async (pair, least, most) => {
      const feed = pair === 'ETH/USD' ? chain.feed : usdcUsdFeed(chain);
      for (const answer of [least - 1n, most + 1n, 0n, -1n]) {
        await setFeed(chain, feed, answer);
        expect(await updateReverts()).toEqual(['PaymasterAnswerRejected', getAddress(feed), answer]);
      }
      for (const answer of [least, most]) {
        await setFeed(chain, feed, answer);
        expect((await chain.write(paymaster, usdcPaymasterAbi, 'updatePrice')).status).toBe('success');
      }
    });

    it.each([
      ['ETH/USD', 3_600n],
      ['USDC/USD', 90_000n],
    ])(
      'behavior: the price lives no longer than %s, and is stale after its heartbeat',
      async (pair, heartbeat) => {
        const [feed, answer] = pair === 'ETH/USD' ? [chain.feed, ethUsd] : [usdcUsdFeed(chain), usd];
        const updatedAt = (await now(chain)) + 1_000n - heartbeat;
        await setFeed(chain, feed, answer, updatedAt);
        const end = updatedAt + heartbeat;
        expect((await updateAt(chain, end - 500n)).status).toBe('success');
        expect(await termsOf(chain)).toMatchObject({
          validUntil: Number(end),
          refreshAt: Number(end - 250n),
        });
        expect((await updateAt(chain, end - 1n)).status).toBe('success');
        expect((await updateAt(chain, end)).status).toBe('reverted');
        expect(await updateReverts()).toEqual(['PaymasterPriceStale']);
      },
    );

    it('error: PaymasterPriceStale for a round without a time', async () => {
      for (const [feed, answer] of [
        [chain.feed, ethUsd],
        [usdcUsdFeed(chain), usd],
      ] as const) {
        const before = await chain.node.snapshot();
        await chain.node.setCode({ address: feed, bytecode: constantRound(answer, 0n) });
        expect(await updateReverts()).toEqual(['PaymasterPriceStale']);
        await chain.node.revert({ id: before });
      }
    });

    it('attack: a round from the future lets the price live no longer', async () => {
      await setFeed(chain, chain.feed, ethUsd, 2n ** 60n);
      await chain.write(paymaster, usdcPaymasterAbi, 'updatePrice');
      expect((await termsOf(chain)).validUntil).toBe(Number((await now(chain)) + 1_800n));
    });

    it('error: PaymasterSequencerDown while it is down, for an hour after, and before its first report', async () => {
      const sequencer: Address = canonical.sequencerFeed[8453];
      const time = await now(chain);
      await setFeed(chain, sequencer, 1n, 1n);
      expect(await updateReverts()).toEqual(['PaymasterSequencerDown']);

      const back = time + 100n;
      await setFeed(chain, sequencer, 0n, back);
      expect(await updateReverts()).toEqual(['PaymasterSequencerDown']);
      expect((await updateAt(chain, back + 3_599n)).status).toBe('reverted');
      expect((await updateAt(chain, back + 3_600n)).status).toBe('success');

      await chain.node.setCode({ address: sequencer, bytecode: constantRound(0n, 0n) });
      expect(await updateReverts()).toEqual(['PaymasterSequencerDown']);
    });

    it('error: a failure leaves the stored price, and updatePaymasterPrice throws the reason', async () => {
      const before = await termsOf(chain);
      await setFeed(chain, chain.feed, 0n);
      const failure = updatePaymasterPrice(chain.wallet, chain.client, paymaster);
      await expect(failure).rejects.toBeInstanceOf(ContractFunctionExecutionError);
      await expect(failure).rejects.toMatchObject({
        cause: { data: { errorName: 'PaymasterAnswerRejected' } },
      });
      expect(await termsOf(chain)).toEqual(before);
    });
  });

  describe('life of a price', () => {
    it('default: validation answers until when, and the entry point refuses afterwards', async () => {
      const { validUntil } = await termsOf(chain);
      const [, validationData] = await validate(await poke(chain, agent));
      expect(validationData).toBe(BigInt(validUntil) << 160n);
      const userOp = await poke(chain, agent);
      await chain.node.setNextBlockTimestamp({ timestamp: BigInt(validUntil) + 1n });
      await chain.node.mine({ blocks: 1 });
      expect(await handleOpsRevert(chain, userOp)).toEqual(['AA32 paymaster expired or not due']);
      await updatePaymasterPrice(chain.wallet, chain.client, paymaster);
      expect((await handleOps(chain, userOp)).outcome).toMatchObject({ success: true });
    });

    it('behavior: validation reads neither the clock nor a feed', async () => {
      const before = await validate(await poke(chain, agent));
      await chain.node.increaseTime({ seconds: 100_000 });
      await chain.node.mine({ blocks: 1 });
      for (const address of [chain.feed, usdcUsdFeed(chain), canonical.sequencerFeed[8453]]) {
        await chain.node.setCode({ address, bytecode: '0xfe' });
      }
      expect(await validate(await poke(chain, agent))).toEqual([expect.any(String), before[1]]);
    });

    it('error: PaymasterPriceMissing before the first price', async () => {
      const fresh = await chain.deploy(usdcPaymasterAbi, usdcPaymasterBytecode, [
        entryPoint,
        operator.address,
      ]);
      expect(await termsOf(chain, fresh)).toEqual({
        usdcPerEth: 0n,
        validUntil: 0,
        refreshAt: 0,
        markupBps: 500,
        operationCeiling: 10_000_000n,
      });
      expect(await revertOf(chain, { to: fresh, data: encode(usdcPaymasterAbi, 'tokenPerNative') })).toEqual([
        'PaymasterPriceMissing',
      ]);
      await setTerms((await chain.client.getStorageAt({ address: fresh, slot: paymasterTermsSlot })) ?? '0x');
      expect(await handleOpsRevert(chain, await poke(chain, agent))).toEqual([
        'AA33 reverted',
        'PaymasterPriceMissing',
      ]);
    });

    it('behavior: withoutPriceExpiry keeps all but the times, and the price is then neither late nor due', async () => {
      await owned(chain, 'setMarkup', [2_000]);
      const before = await termsOf(chain);
      await setTerms(withoutPriceExpiry(await storedTerms()));
      const never = 2 ** 47 - 1;
      expect(await termsOf(chain)).toEqual({ ...before, validUntil: never, refreshAt: never });

      await chain.node.increaseTime({ seconds: 1_000_000_000 });
      await chain.node.mine({ blocks: 1 });
      const userOp = await poke(chain, agent, { paymasterAndData: usdcPaymasterAndData(120_000n, 120_000n) });
      expect((await handleOps(chain, userOp)).outcome).toMatchObject({ success: true });
      expect(await termsOf(chain)).toMatchObject({ validUntil: never });
    });
  });
});

describe('UsdcPaymaster: price on Ethereum', () => {
  let chain: TestChain;
  beforeAll(async () => {
    chain = await startTestChain(1);
  });
  afterAll(() => chain.stop());

  it('default: for an hour, with a higher ceiling, and no sequencer is asked', async () => {
    const { validUntil, operationCeiling } = await termsOf(chain);
    const age = BigInt(validUntil) - (await now(chain));
    expect(age).toBeGreaterThan(3_590n);
    expect(age).toBeLessThanOrEqual(3_600n);
    expect(operationCeiling).toBe(250_000_000n);
  });

  it.each([
    ['ETH/USD', 7_200n],
    ['USDC/USD', 90_000n],
  ])('behavior: the heartbeat of %s', async (pair, heartbeat) => {
    const [feed, answer] = pair === 'ETH/USD' ? [chain.feed, ethUsd] : [usdcUsdFeed(chain), usd];
    const updatedAt = (await now(chain)) + 100n - heartbeat;
    await setFeed(chain, feed, answer, updatedAt);
    expect((await updateAt(chain, updatedAt + heartbeat - 1n)).status).toBe('success');
    expect((await updateAt(chain, updatedAt + heartbeat)).status).toBe('reverted');
    await setFeed(chain, feed, answer);
  });
});
