import type { FacilitatorEvmSigner } from '@x402/evm';
import { asUpstreamError, isOutOfGas, waitOrGiveUp } from '@yield-vault/chains';
import { findError, type UpstreamUnavailableError } from '@yield-vault/protocol';
import { encodeFunctionData, type Abi, type Hex, type LocalAccount, type TransactionReceipt } from 'viem';
import { unavailable } from '../errors.js';
import type { PaymentChain } from '../types.js';

/** Gas limit of a transfer and of its checks. A transfer uses about 90,000; a wallet with code may use more. */
const maxGas = 400_000n;
const pollMs = 10;
const notMined = { detail: 'The transfer is not mined yet.', details: {} };

/** The access of a scheme class to a chain, for one call. */
export interface GuardedSigner {
  readonly signer: FacilitatorEvmSigner;
  /** The first failure that the payer did not cause. */
  readonly outage: () => UpstreamUnavailableError | undefined;
}

/**
 * Give a scheme class access to a chain for one call, and record outages. The scheme class reports an outage as a
 * refusal of the payment.
 *
 * @param account - pays the gas
 * @param deadlineMs - Unix milliseconds; waiting for a receipt ends then
 */
export function guardSigner(chain: PaymentChain, account: LocalAccount, deadlineMs: number): GuardedSigner {
  const { rpc, chainId, key } = chain;
  let outage: UpstreamUnavailableError | undefined;
  const codes = new Map<string, Promise<Hex | undefined>>();

  /** Send a request. After an outage all further requests fail at once, so that a caller waits for one timeout only. */
  const guard = async <T>(request: () => Promise<T>): Promise<T> => {
    if (outage) throw outage;
    try {
      return await request();
    } catch (error) {
      outage ??= asOutage(error, `rpc:${key}`);
      throw error;
    }
  };
  const failed = (reason: string) => (error: unknown) => {
    throw asUpstreamError(error, `rpc:${key}`) ?? unavailable(`facilitator:${key}`, reason, error);
  };

  async function send(to: Hex, data: Hex): Promise<Hex> {
    // The call reverts when the transfer would, so a transfer that fails costs no gas.
    const [nonce, { baseFeePerGas }, tip] = await Promise.all([
      rpc.getTransactionCount({ address: account.address, blockTag: 'pending' }),
      rpc.getBlock(),
      rpc.estimateMaxPriorityFeePerGas(),
      rpc.call({ account: account.address, to, data, gas: maxGas }),
    ]);
    const fees = { maxFeePerGas: 2n * (baseFeePerGas ?? 0n) + tip, maxPriorityFeePerGas: tip };
    const serializedTransaction = await account
      .signTransaction({ type: 'eip1559', chainId, nonce, gas: maxGas, ...fees, to, data })
      .catch(failed('the transfer cannot be signed'));
    return rpc.sendRawTransaction({ serializedTransaction }).catch(failed('the node rejects the transfer'));
  }

  async function awaitReceipt(hash: Hex): Promise<TransactionReceipt> {
    for (let polls = 0; ; polls++) {
      // A node that fails here is polled again: the transfer may be mined at any time.
      const receipt = await rpc.getTransactionReceipt({ hash }).catch(() => undefined);
      if (receipt) return receipt;
      await waitOrGiveUp(notMined, { deadlineMs, pollMs, now: Date.now }, polls);
    }
  }

  const signer: FacilitatorEvmSigner = {
    getAddresses: () => [account.address],
    // viem forwards `gas`, although its type does not list it.
    readContract: (call) =>
      guard(() => rpc.readContract({ ...call, gas: maxGas } as Parameters<typeof rpc.readContract>[0])),
    // The scheme class calls it twice, and a rejection without a handler would end the process.
    getCode: ({ address }) => {
      const code = codes.get(address) ?? guard(() => rpc.getCode({ address })).catch(() => undefined);
      codes.set(address, code);
      return code;
    },
    verifyTypedData: (call) =>
      guard(() => rpc.verifyTypedData(call as Parameters<typeof rpc.verifyTypedData>[0])),
    writeContract: ({ address, abi, functionName, args }) =>
      guard(() => send(address, encodeFunctionData({ abi: abi as Abi, functionName, args }))),
    sendTransaction: () => Promise.reject(new Error('This facilitator does not deploy wallets.')),
    waitForTransactionReceipt: ({ hash }) => awaitReceipt(hash),
  };
  return { signer, outage: () => outage };
}

/**
 * Recognise that a node is down or refuses a request.
 *
 * @returns `undefined` for a revert, and for any result of a payer's contract
 */
export function asOutage(error: unknown, dependency: string): UpstreamUnavailableError | undefined {
  const known = asUpstreamError(error, dependency);
  if (known) return known;
  const refusal = findError(error, 'RpcRequestError');
  if (!refusal) return undefined;
  const isRevert = typeof refusal.data === 'string' || /revert/i.test(refusal.details) || isOutOfGas(refusal);
  return isRevert ? undefined : unavailable(dependency, 'the node refuses the request', error);
}
