import { type Address, type Hex, type PrivateKeyAccount, zeroAddress } from 'viem';
import { chainFacts } from '../../src/chains/chains.js';
import { usdcPaymasterAbi } from '../../src/generated/UsdcPaymaster.js';
import { clockFeedAbi, clockFeedBytecode } from '../generated/ClockFeed.js';
import { localPriceFeedAbi } from '../generated/LocalPriceFeed.js';
import { type PackedUserOperation, balanceOf, max, signedOp, singleCall } from './account.js';
import { type TestChain, entryPoint, operator } from './chain.js';

/** An operation that sends one wei, signed. */
export const poke = (
  chain: TestChain,
  agent: PrivateKeyAccount,
  overrides: Partial<PackedUserOperation> = {},
): Promise<PackedUserOperation> => signedOp(chain, agent, singleCall(operator.address, '0x', 1n), overrides);

export const now = async (chain: TestChain): Promise<bigint> => (await chain.client.getBlock()).timestamp;

export const usdcOf = (chain: TestChain, owner: Address) => balanceOf(chain, chain.usdc, owner);

/** The stored rate. */
export const rateOf = async (chain: TestChain): Promise<bigint> =>
  (await chain.read(chain.paymaster, usdcPaymasterAbi, 'tokenPerNative'))[0];

/** A transaction of the owner to the paymaster. */
export const owned = (chain: TestChain, functionName: string, args: readonly unknown[] = [], value = 0n) =>
  chain.mined(
    chain.wallet.writeContract({
      address: chain.paymaster,
      abi: usdcPaymasterAbi as readonly unknown[],
      functionName,
      args,
      value,
    } as never),
  );

/** Let the owner set this markup. A raise takes a day, after which the price is stored anew. */
export async function setMarkup(chain: TestChain, markupBps: number): Promise<void> {
  await owned(chain, 'setMarkup', [markupBps]);
  if ((await termsOf(chain)).markupBps === markupBps) return;
  await chain.node.increaseTime({ seconds: 86_400 });
  await owned(chain, 'applyMarkup');
  await chain.write(chain.paymaster, usdcPaymasterAbi, 'updatePrice');
}

/** What the paymaster has stored, by name. */
export async function termsOf(chain: TestChain, address: Address = chain.paymaster) {
  const [usdcPerNative, validUntil, refreshAt, markupBps, operationCeiling] = await chain.read(
    address,
    usdcPaymasterAbi,
    'terms',
  );
  return { usdcPerNative, validUntil, refreshAt, markupBps, operationCeiling };
}

export const usdcUsdFeed = (chain: TestChain): Address => chainFacts(chain.chainId).usdc.price.feed;

/** Let a feed give this answer, updated at this time; without a time it stays fresh. */
export const setFeed = (chain: TestChain, feed: Address, answer: bigint, updatedAt?: bigint) =>
  updatedAt === undefined
    ? chain.write(feed, localPriceFeedAbi, 'setAnswer', [answer])
    : chain.write(feed, localPriceFeedAbi, 'setRound', [answer, updatedAt]);

/** Try `updatePrice` in a block of this time. */
export async function updateAt(chain: TestChain, timestamp: bigint) {
  await chain.node.setNextBlockTimestamp({ timestamp });
  return chain.mined(
    chain.wallet.writeContract({
      address: chain.paymaster,
      abi: usdcPaymasterAbi,
      functionName: 'updatePrice',
      gas: 300_000n,
    }),
  );
}

/** The EIP-712 domain of the local USDC. */
export const usdcDomain = ({ chainId, usdc }: TestChain) => ({
  name: 'USD Coin',
  version: '2',
  chainId,
  verifyingContract: usdc,
});

/** An EIP-2612 permit without an end. */
export async function signPermit(
  chain: TestChain,
  agent: PrivateKeyAccount,
  value: bigint,
  spender: Address,
): Promise<Hex> {
  return agent.signTypedData({
    domain: usdcDomain(chain),
    types: {
      Permit: [
        { name: 'owner', type: 'address' },
        { name: 'spender', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'nonce', type: 'uint256' },
        { name: 'deadline', type: 'uint256' },
      ],
    },
    primaryType: 'Permit',
    message: { owner: agent.address, spender, value, nonce: 0n, deadline: max },
  });
}

/** Settings like those of the paymaster of this chain. */
export function settingsOf({ chainId, usdc, feed }: TestChain) {
  const { operationCeiling, highestCeiling } = chainFacts(chainId).paymaster;
  const usd = 10n ** 8n;
  return {
    entryPoint,
    usdc,
    nativeUsd: feed,
    nativeUsdMaxAge: 3_600,
    leastNativeUsd: 100n * usd,
    mostNativeUsd: 100_000n * usd,
    usdcUsd: chainFacts(chainId).usdc.price.feed,
    usdcUsdMaxAge: 86_400,
    sequencer: zeroAddress,
    maxAge: 1_800,
    markupBps: 500,
    operationCeiling,
    highestCeiling,
    owner: operator.address,
    pauser: operator.address,
  };
}

/** Give the feed the shape of Base's: a proxy, and an aggregator that reads the clock. */
export async function placeClockFeed(chain: TestChain): Promise<void> {
  const feed = await chain.deploy(clockFeedAbi, clockFeedBytecode);
  const code = await chain.client.getCode({ address: feed });
  await chain.node.setCode({ address: chain.feed, bytecode: code! });
}

/** Runtime code that answers every call with a round of this price and time. */
export function constantRound(answer: bigint, time: bigint): Hex {
  const push = (value: bigint) => `7f${value.toString(16).padStart(64, '0')}`;
  const store = (value: bigint, place: number) => `${push(value)}60${place.toString(16).padStart(2, '0')}52`;
  return `0x${store(1n, 0)}${store(answer, 32)}${store(time, 64)}${store(time, 96)}${store(1n, 128)}60a06000f3`;
}
