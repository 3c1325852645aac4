import { asUpstreamError, type ActiveChain, type GasPrice } from '@yield-vault/chains';
import { UpstreamUnavailableError } from '@yield-vault/protocol';
import { interpretWalletState } from '@yield-vault/smart-account';
import type { Paymaster } from '../paymasters/paymaster.js';
import type { Order, Reading, WalletReading } from '../types.js';
import { entryReads } from './entry-reads.js';
import { exitReads } from './exit-reads.js';
import { readChained } from './read-chained.js';
import { setupTypeOf } from './setup-type-of.js';
import { valueOf } from './value-of.js';
import { walletReads } from './wallet-reads.js';

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
  const nodeFees = readFees(rpc);
  const asked = [
    rpc.getCode({ address: wallet }),
    // What vaults and their assets answer comes last: they cannot keep the others from an answer.
    readChained(chain, { ...walletReads(order), ...exitReads(order), ...entryReads(order) }),
    nodeFees,
  ] as const;
  const quoted = paymaster.terms();
  const reads = Promise.all(asked).catch(async (error: unknown) => {
    // Each is asked again by itself: none may stay under way.
    await Promise.allSettled([...asked, quoted]);
    throw asUpstreamError(error, dependency) ?? error;
  });
  const withoutBundler = unavailable(`bundler:${chain.key}`, `${chain.name} has no bundler.`);
  // A wallet that needs a setup needs neither bundler nor paymaster: their failures count only below.
  const [[code, answers, fees], [price, terms]] = await Promise.all([
    reads,
    Promise.allSettled([bundler?.gasPrice(nodeFees) ?? Promise.reject(withoutBundler), quoted]),
  ]);
  const { validatorInstalled, executorInstalled, paymasterAllowance } = answers;

  const state = interpretWalletState(contracts, code, {
    validatorInstalled: answerOf(validatorInstalled),
    executorInstalled: answerOf(executorInstalled),
    paymasterAllowance: answerOf(paymasterAllowance),
  });
  // USDC always answers: a node that does not know it must not be taken for missing modules.
  if (state.kind === 'modules-missing' || state.kind === 'configured') answered(paymasterAllowance, chain);
  if (state.kind !== 'configured') return { fees, setupType: setupTypeOf(state) };

  if (!bundler) throw withoutBundler;
  if (price.status === 'rejected') throw price.reason;
  if (terms.status === 'rejected') throw terms.reason;
  const snapshot = {
    state,
    nonce: answered(answers.nonce, chain),
    usdcBalance: answered(answers.usdcBalance, chain),
    assetBalance: answers.assetBalance ? valueOf(answers.assetBalance, order) : 0n,
    shareBalance: answers.shareBalance ? valueOf(answers.shareBalance, order) : 0n,
    redeemed: answers.redeemed,
    entered: answers.deposited && answers,
    gasPrice: price.value,
    bundler,
    paymaster: terms.value,
  };
  return { fees, snapshot };
}

/** Take what only a node cannot tell that is not where it should be: no vault has a say in it. */
function answered<T>(reading: Reading<T>, { key }: ActiveChain): T {
  if ('value' in reading) return reading.value;
  throw unavailable(`rpc:${key}`, `The node of ${key} does not know contracts that have to be there.`);
}

const answerOf = <T>(reading: Reading<T>): T | undefined => ('value' in reading ? reading.value : undefined);

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
