import { asUpstreamError } from '@yield-vault/chains';
import pLimit from 'p-limit';
import { ExecutionRevertedError, keccak256, type Address, type Hex, type LocalAccount } from 'viem';
import { unavailable } from '../errors.js';
import type { PaymentChain } from '../ports.js';
import { asOutage } from './as-outage.js';

const maxQueue = 256;
// A transfer costs about 90,000; asking the payer's own contract for its signature may cost more, but not anything.
const maxGas = 400_000n;

/** Sends the transactions of one account to one chain. */
export interface Broadcaster {
  readonly address: Address;
  /**
   * Send a transaction that would succeed now, and only such a one.
   *
   * @returns its hash; it may be that the node never got it
   * @throws {BaseError} when it would revert
   * @throws {UpstreamUnavailableError} when it was not sent
   */
  send(call: { readonly to: Address; readonly data: Hex }): Promise<Hex>;
}

/**
 * Send one transaction after the other, each with the nonce that the node names. A counter of our own would go wrong
 * for good when the chain is put back, or when one transaction is lost.
 */
export function createBroadcaster(
  chain: PaymentChain,
  account: LocalAccount,
  options: { readonly maxFeePerGas?: bigint } = {},
): Broadcaster {
  const { rpc, chainId, key } = chain;
  const turns = pLimit(1);
  const failed = (reason: string, cause?: unknown) => unavailable(`facilitator:${key}`, reason, cause);

  /** @throws {BaseError} when it would revert */
  async function estimate(call: { to: Address; data: Hex }): Promise<bigint> {
    const used = await rpc.estimateGas({ account: account.address, ...call }).catch((error: unknown) => {
      throw asOutage(error, `rpc:${key}`) ?? error;
    });
    // Room for a storage slot that another payment empties or fills meanwhile.
    const gas = (used * 12n) / 10n;
    if (gas > maxGas) throw new ExecutionRevertedError({ message: 'the transfer needs too much gas' });
    return gas;
  }

  async function fees() {
    const found = await rpc.estimateFeesPerGas().catch((error: unknown) => {
      throw failed('fees cannot be read', error);
    });
    if (options.maxFeePerGas !== undefined && found.maxFeePerGas > options.maxFeePerGas)
      throw failed('fees are above the limit of this deployment');
    return { maxFeePerGas: found.maxFeePerGas, maxPriorityFeePerGas: found.maxPriorityFeePerGas };
  }

  async function sendNext(
    call: { to: Address; data: Hex },
    gas: bigint,
    fee: Awaited<ReturnType<typeof fees>>,
  ) {
    const nonce = await rpc
      .getTransactionCount({ address: account.address, blockTag: 'pending' })
      .catch((error: unknown) => {
        throw failed('the nonce cannot be read', error);
      });
    const serializedTransaction = await account
      .signTransaction({ type: 'eip1559', chainId, nonce, gas, ...fee, ...call })
      .catch((error: unknown) => {
        throw failed('the transfer cannot be signed', error);
      });
    await rpc.sendRawTransaction({ serializedTransaction }).catch((error: unknown) => {
      // No answer is no refusal: the receipt will tell.
      if (asUpstreamError(error, key) === undefined) throw failed('the node refuses the transfer', error);
    });
    return keccak256(serializedTransaction);
  }

  return {
    address: account.address,
    async send(call) {
      if (turns.pendingCount >= maxQueue) throw failed('too many transfers are waiting');
      const [gas, fee] = await Promise.all([estimate(call), fees()]);
      return turns(() => sendNext(call, gas, fee));
    },
  };
}
