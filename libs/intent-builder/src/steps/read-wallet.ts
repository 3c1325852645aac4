import { asUpstreamError } from '@yield-vault/chains';
import { UpstreamUnavailableError } from '@yield-vault/protocol';
import { interpretWalletState } from '@yield-vault/smart-account';
import type { Order, WalletReading } from '../types.js';
import { readingOf, required } from './reading.js';
import { setupTypeOf } from './setup-type-of.js';
import { walletCalls } from './wallet-calls.js';

const retryAfterSeconds = 30;

/**
 * Read everything that an order needs to know in one round trip: the node answers one batch, the bundler is asked
 * for fees at the same time.
 *
 * @throws {UpstreamUnavailableError} when the node, the bundler or the paymaster's price does not answer
 * @throws {InvalidParametersError} when the wallet is a contract
 */
export async function readWallet(order: Order): Promise<WalletReading> {
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
  ]).catch((error: unknown) => {
    throw asUpstreamError(error, dependency) ?? error;
  });
  const withoutBundler = unavailable(`bundler:${chain.key}`, `${chain.name} has no bundler.`);
  // A wallet that needs a setup needs no bundler: its failure counts only below.
  const [[code, results], [price]] = await Promise.all([
    reads,
    Promise.allSettled([bundler?.gasPrice() ?? Promise.reject(withoutBundler)]),
  ]);
  const [validator, executor, allowance, nonce, assets, dollars, shares, terms, ceiling, quote] = results;

  const state = interpretWalletState(contracts, code, {
    validatorInstalled: validator.result,
    executorInstalled: executor.result,
    paymasterAllowance: allowance.result,
  });
  // On our delegation no call fails by itself: missing modules must not be told from an outage.
  if (state.kind === 'modules-missing' || state.kind === 'configured') required(allowance, chain);
  if (state.kind !== 'configured') return { setupType: setupTypeOf(state) };

  if (!bundler) throw withoutBundler;
  if (price.status === 'rejected') throw price.reason;
  if (terms.status === 'failure') {
    throw (
      asUpstreamError(terms.error, dependency) ??
      unavailable(`paymaster:${chain.key}`, 'The paymaster quotes no price.')
    );
  }
  const [tokenPerNative, validUntil] = terms.result;
  const snapshot = {
    state,
    nonce: required(nonce, chain),
    assetBalance: required(assets, chain),
    usdcBalance: required(dollars, chain),
    shareBalance: required(shares, chain),
    quote: readingOf(quote, chain),
    gasPrice: price.value,
    bundler,
    paymaster: { tokenPerNative, validUntil, operationCeiling: required(ceiling, chain) },
  };
  return { snapshot };
}

function unavailable(dependency: string, detail: string): UpstreamUnavailableError {
  return new UpstreamUnavailableError({ detail, details: { dependency }, retryAfterSeconds });
}
