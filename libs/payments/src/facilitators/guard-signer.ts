import type { FacilitatorEvmSigner } from '@x402/evm';
import { asUpstreamError, waitOrGiveUp } from '@yield-vault/chains';
import { UpstreamUnavailableError } from '@yield-vault/protocol';
import { encodeFunctionData, TransactionReceiptNotFoundError, type Abi, type Hex } from 'viem';
import type { PaymentChain } from '../ports.js';
import { asOutage } from './as-outage.js';
import type { Broadcaster } from './create-broadcaster.js';
import { maxGas } from './create-gas-account.js';

/** What one call of a scheme gets as its chain. */
export interface GuardedSigner {
  readonly signer: FacilitatorEvmSigner;
  /** The first thing that failed for no fault of the payer; schemes take it for a bad signature. */
  readonly outage: () => UpstreamUnavailableError | undefined;
}

/**
 * Give the scheme classes access to a chain for one call, and remember what failed meanwhile: they turn every error
 * into a verdict about the payment.
 */
export function guardSigner(
  chain: PaymentChain,
  broadcaster: Broadcaster,
  confirmationTimeoutMs: number,
): GuardedSigner {
  const { rpc, key } = chain;
  let outage: UpstreamUnavailableError | undefined;
  const codes = new Map<string, Promise<Hex | undefined>>();
  /** Ask the node; once it failed, it is asked nothing more, or one silence would be waited for many times. */
  const ask = async <T>(question: () => Promise<T>): Promise<T> => {
    if (outage) throw outage;
    try {
      return await question();
    } catch (error) {
      outage ??= asOutage(error, `rpc:${key}`);
      throw error;
    }
  };

  const signer: FacilitatorEvmSigner = {
    getAddresses: () => [broadcaster.address],
    // viem hands the gas on, although its type does not say so.
    readContract: (call) =>
      ask(() => rpc.readContract({ ...call, gas: maxGas } as Parameters<typeof rpc.readContract>[0])),
    // A rejection here would go unhandled where the scheme answers before it looks at the code, for which it asks twice.
    getCode: ({ address }) => {
      const code = codes.get(address) ?? ask(() => rpc.getCode({ address })).catch(() => undefined);
      codes.set(address, code);
      return code;
    },
    verifyTypedData: (call) =>
      ask(() => rpc.verifyTypedData(call as Parameters<typeof rpc.verifyTypedData>[0])),
    writeContract: ({ address, abi, functionName, args }) =>
      ask(() => {
        const data = encodeFunctionData({ abi: abi as Abi, functionName, args });
        return broadcaster.send({ to: address, data });
      }),
    sendTransaction: () => Promise.reject(new Error('wallets of payers are not deployed')),
    waitForTransactionReceipt: ({ hash }) => awaitReceipt(chain, hash, confirmationTimeoutMs),
  };
  return { signer, outage: () => outage };
}

/** @throws when it is not mined in time */
async function awaitReceipt({ rpc, key }: PaymentChain, hash: Hex, timeoutMs: number) {
  const pending = { detail: 'The transfer is not mined yet.', details: { txHash: hash } };
  const waiting = {
    deadlineMs: Date.now() + timeoutMs,
    pollMs: 10,
    now: Date.now,
    signal: new AbortController().signal,
  };
  for (let looks = 0; ; looks++) {
    const receipt = await rpc.getTransactionReceipt({ hash }).catch((error: unknown) => {
      // The transfer is on its way: a node that is down for a moment is asked again.
      const isPassing = error instanceof TransactionReceiptNotFoundError || asUpstreamError(error, key);
      if (isPassing) return undefined;
      throw error;
    });
    if (receipt) return receipt;
    await waitOrGiveUp(pending, waiting, looks);
  }
}
