import { asUpstreamError, type ActiveChain, type GasPrice } from '@yield-vault/chains';
import { UpstreamUnavailableError } from '@yield-vault/protocol';
import { interpretWalletState } from '@yield-vault/smart-account';
import type { Paymaster } from '../paymasters/paymaster.js';
import type { Order, WalletReading } from '../types.js';
import { readingOf, required } from './reading.js';
import { setupTypeOf } from './setup-type-of.js';
import { walletCalls } from './wallet-calls.js';

const retryAfterSeconds = 30;

/**
 * Read everything that an order needs to know in one round trip: the node answers one batch, while the bundler says
 * its fees and the paymaster its terms.
 *
 * @throws {UpstreamUnavailableError} when the node, the bundler or the paymaster does not answer
 * @throws {InvalidParametersError} when the wallet is a contract
 */
export async function readWallet(order: Order, paymaster: Paymaster): Promise<WalletReading> {
  const { chain, wallet } = order;
  const { rpc, bundler, contracts } = chain;
  const dependency = `rpc:${chain.key}`;
  const reads = Promise.all([
    rpc.getCode({ address: wallet }),
    rpc.multicall({
      allowFailure: true,
      // One call, whatever its size: viem would split it.
      batchSize: 0,
      contracts: walletCalls(order),
    }),
    readFees(rpc),
  ]).catch((error: unknown) => {
    throw asUpstreamError(error, dependency) ?? error;
  });
  const withoutBundler = unavailable(`bundler:${chain.key}`, `${chain.name} has no bundler.`);
  // A wallet that needs a setup needs neither bundler nor paymaster: their failures count only below.
  const [[code, results, fees], [price, terms]] = await Promise.all([
    reads,
    Promise.allSettled([bundler?.gasPrice() ?? Promise.reject(withoutBundler), paymaster.terms()]),
  ]);
  const [validator, executor, allowance, nonce, assets, dollars, shares, quote] = results;

  const state = interpretWalletState(contracts, code, {
    validatorInstalled: validator.result,
    executorInstalled: executor.result,
    paymasterAllowance: allowance.result,
  });
  // On our delegation no call fails by itself: missing modules must not be told from an outage.
  if (state.kind === 'modules-missing' || state.kind === 'configured') required(allowance, chain);
  if (state.kind !== 'configured') return { fees, setupType: setupTypeOf(state) };

  if (!bundler) throw withoutBundler;
  if (price.status === 'rejected') throw price.reason;
  if (terms.status === 'rejected') throw terms.reason;
  const snapshot = {
    state,
    nonce: required(nonce, chain),
    assetBalance: required(assets, chain),
    usdcBalance: required(dollars, chain),
    shareBalance: required(shares, chain),
    quote: readingOf(quote, chain),
    gasPrice: price.value,
    bundler,
    paymaster: terms.value,
  };
  return { fees, snapshot };
}

// One of the two alone would cost viem a second round trip, after the other.
async function readFees(rpc: ActiveChain['rpc']): Promise<GasPrice> {
  const [{ baseFeePerGas }, maxPriorityFeePerGas] = await Promise.all([
    rpc.getFeeHistory({ blockCount: 1, rewardPercentiles: [] }),
    rpc.estimateMaxPriorityFeePerGas(),
  ]);
  // The last entry is that of the next block.
  const baseFee = baseFeePerGas.at(-1) ?? 0n;
  return { maxFeePerGas: (baseFee * 12n) / 10n + maxPriorityFeePerGas, maxPriorityFeePerGas };
}

function unavailable(dependency: string, detail: string): UpstreamUnavailableError {
  return new UpstreamUnavailableError({ detail, details: { dependency }, retryAfterSeconds });
}
