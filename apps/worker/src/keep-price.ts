import type { ActiveChain } from '@yield-vault/chains';
import { canonical, priceLifeSeconds, usdcPaymasterAbi } from '@yield-vault/contracts';
import type { Job } from '@yield-vault/database';
import type { Deployment } from '@yield-vault/deployment';
import type { Logger } from 'pino';
import { encodeFunctionData, formatUnits, multicall3Abi, type LocalAccount } from 'viem';

const intervalMs = 15_000;
// Longer than a block takes; a transaction that is still pending then is replaced.
const minPauseMs = 30_000;
const basisPoints = 10_000n;
const weiPerNative = 10n ** 18n;

/** A price that our paymaster stores; all values are 0 without a price. */
interface Price {
  /** Base units of USDC. */
  readonly usdcPerNative: bigint;
  /** Last second in which it counts. */
  readonly validUntil: number;
  /** Seconds from the update to `validUntil`; 0 for a price that never expires. */
  readonly lifeSeconds: number;
}

/** In wei. */
interface Fees {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/**
 * Make the job that keeps the price of our paymaster on a chain fresh: it calls `updatePrice` after half of the life of the
 * price, or when the feeds differ from it by more than `deviationBps`. A run fails when the feeds have no usable price, or
 * when its L2 gas can cost more than `maxCostUsdc`.
 */
export function createPriceKeeper(
  { key, chainId, rpc, contracts }: Pick<ActiveChain, 'key' | 'chainId' | 'rpc' | 'contracts'>,
  account: LocalAccount,
  { deviationBps, maxCostUsdc }: Pick<Deployment['keeper'], 'deviationBps' | 'maxCostUsdc'>,
  logger: Pick<Logger, 'info'>,
): Job {
  const paymaster = { address: contracts.paymaster, abi: usdcPaymasterAbi } as const;
  let lastSentMs = -Infinity;
  let lastSent: (Fees & { readonly nonce: number }) | undefined;

  /** Read the stored price, and the one that `updatePrice` would store now, in one `eth_call`. */
  async function readPrices() {
    const terms = { ...paymaster, functionName: 'terms' } as const;
    const [before, , after, now] = await rpc.multicall({
      allowFailure: false,
      contracts: [
        terms,
        { ...paymaster, functionName: 'updatePrice' },
        terms,
        { address: canonical.multicall3, abi: multicall3Abi, functionName: 'getCurrentBlockTimestamp' },
      ],
    });
    return { stored: toPrice(before), present: toPrice(after), now: Number(now) };
  }

  async function sendUpdate(usdcPerNative: bigint) {
    const data = encodeFunctionData({ abi: usdcPaymasterAbi, functionName: 'updatePrice' });
    const call = { to: paymaster.address, data };
    const count = (blockTag: 'latest' | 'pending') =>
      rpc.getTransactionCount({ address: account.address, blockTag });
    const [nonce, pending, estimate, present] = await Promise.all([
      count('latest'),
      count('pending'),
      rpc.estimateGas({ account: account.address, ...call }),
      rpc.estimateFeesPerGas(),
    ]);
    // The nonce of the last block: at most one transaction is mined. To replace a pending one, pay an eighth more than
    // this process last offered, or than present fees; nodes demand a tenth.
    const waiting = lastSent?.nonce === nonce ? lastSent : present;
    const feeOf = (name: keyof Fees) => {
      const raised = (waiting[name] * 9n) / 8n + 1n;
      return pending > nonce && raised > present[name] ? raised : present[name];
    };
    const fees: Fees = {
      maxFeePerGas: feeOf('maxFeePerGas'),
      maxPriorityFeePerGas: feeOf('maxPriorityFeePerGas'),
    };
    const gas = estimate + estimate / 4n;
    const costUsdc = (gas * fees.maxFeePerGas * usdcPerNative) / weiPerNative;
    if (costUsdc > maxCostUsdc)
      throw new Error(
        `A refresh of the price can cost ${formatUnits(costUsdc, 6)} USDC, more than keeper.maxCostUsdc (${formatUnits(maxCostUsdc, 6)} USDC).`,
      );
    const serializedTransaction = await account.signTransaction({
      type: 'eip1559',
      chainId,
      nonce,
      gas,
      ...fees,
      ...call,
    });
    const txHash = await rpc.sendRawTransaction({ serializedTransaction });
    lastSent = { nonce, ...fees };
    return txHash;
  }

  async function run() {
    const { stored, present, now } = await readPrices();
    const difference = stored.usdcPerNative - present.usdcPerNative;
    const deviation = difference < 0n ? -difference : difference;
    const isOff = deviation * basisPoints > stored.usdcPerNative * BigInt(deviationBps);
    // Feeds that stand still prolong nothing.
    const isOld = now >= stored.validUntil - stored.lifeSeconds / 2 && present.validUntil > stored.validUntil;
    if ((!isOff && !isOld) || Date.now() - lastSentMs < minPauseMs) return 'done' as const;
    const txHash = await sendUpdate(present.usdcPerNative);
    lastSentMs = Date.now();
    logger.info({ chain: key, txHash, isOff }, 'refreshing the price of the paymaster');
    return 'done' as const;
  }

  return { name: `price:${key}`, intervalMs, run };
}

const toPrice = ([usdcPerNative, validUntil, refreshAt]: readonly [
  bigint,
  number,
  number,
  ...unknown[],
]): Price => ({
  usdcPerNative,
  validUntil,
  lifeSeconds: priceLifeSeconds({ validUntil, refreshAt }),
});
