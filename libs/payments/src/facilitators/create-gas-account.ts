import { asUpstreamError } from '@yield-vault/chains';
import {
  ExecutionRevertedError,
  keccak256,
  TransactionNotFoundError,
  type Address,
  type Hex,
  type LocalAccount,
  type TransactionReceipt,
} from 'viem';
import { unavailable } from '../errors.js';
import type { PaymentChain } from '../ports.js';
import { asOutage } from './as-outage.js';
import type { AskedFees, OfferedFees } from './offer-fees.js';

/**
 * The most that a transfer may use, and a question about it: it costs about 90,000, and asking the payer's own contract
 * for its signature may cost more, but not anything.
 */
export const maxGas = 400_000n;

/** What a transaction does. */
export interface Call {
  readonly to: Address;
  readonly data: Hex;
}

/** What an account and a node can do together for one transaction; nothing is remembered. */
export type GasAccount = ReturnType<typeof createGasAccount>;

/**
 * Give access to the account that pays gas on a chain. All throw `UpstreamUnavailableError` when the node fails.
 *
 * @param maxFeePerGas - wei; fees above it are not paid
 */
export function createGasAccount(
  { rpc, chainId, key }: PaymentChain,
  account: LocalAccount,
  maxFeePerGas?: bigint,
) {
  const { address } = account;
  const failed = (reason: string, cause?: unknown) => unavailable(`facilitator:${key}`, reason, cause);

  /** @returns whether the node surely knows none of them */
  async function areLost(hashes: readonly Hex[]): Promise<boolean> {
    const lost = hashes.map((hash) =>
      rpc.getTransaction({ hash }).then(
        () => false,
        (error: unknown) => error instanceof TransactionNotFoundError,
      ),
    );
    return !(await Promise.all(lost)).includes(false);
  }

  return {
    /** @throws {BaseError} when the call would revert */
    async estimateGas(call: Call, blockTag?: 'latest'): Promise<bigint> {
      const used = await rpc.estimateGas({ account: address, ...call, blockTag }).catch((error: unknown) => {
        throw asOutage(error, `rpc:${key}`) ?? error;
      });
      if (used > maxGas) throw new ExecutionRevertedError({ message: 'the transfer needs too much gas' });
      // Room for a storage slot that another payment empties or fills meanwhile.
      const gas = (used * 12n) / 10n;
      return gas < maxGas ? gas : maxGas;
    },

    async askFees(): Promise<AskedFees> {
      const [{ number: block, baseFeePerGas: baseFee }, tip] = await Promise.all([
        rpc.getBlock(),
        rpc.estimateMaxPriorityFeePerGas(),
      ]).catch((error: unknown) => {
        throw failed('fees cannot be read', error);
      });
      if (baseFee === null) throw failed('the chain has no base fee');
      if (maxFeePerGas !== undefined && baseFee + tip > maxFeePerGas)
        throw failed('fees are above the limit of this deployment');
      return { block, baseFee, tip };
    },

    /** How many transactions are mined, or known to the node. */
    async countSent(blockTag: 'latest' | 'pending'): Promise<number> {
      return rpc.getTransactionCount({ address, blockTag }).catch((error: unknown) => {
        throw failed('the nonce cannot be read', error);
      });
    },

    /** @returns the hash; it may be that the node never got it */
    async submit(nonce: number, call: Call, gas: bigint, fees: OfferedFees): Promise<Hex> {
      const serializedTransaction = await account
        .signTransaction({ type: 'eip1559', chainId, nonce, gas, ...fees, ...call })
        .catch((error: unknown) => {
          throw failed('the transfer cannot be signed', error);
        });
      const hash = keccak256(serializedTransaction);
      await rpc.sendRawTransaction({ serializedTransaction }).catch(async (error: unknown) => {
        // No answer is no refusal, nor is that of a node which got it before: the receipt will tell.
        const isRefused = asUpstreamError(error, key) === undefined && (await areLost([hash]));
        if (isRefused) throw failed('the node refuses the transfer', error);
      });
      return hash;
    },

    /** @returns the receipt of the one that is mined; a node that does not answer is asked again later */
    async findMined(hashes: readonly Hex[]): Promise<TransactionReceipt | undefined> {
      const found = hashes.map((hash) => rpc.getTransactionReceipt({ hash }).catch(() => undefined));
      return (await Promise.all(found)).find((receipt) => receipt !== undefined);
    },

    areLost,
  };
}
