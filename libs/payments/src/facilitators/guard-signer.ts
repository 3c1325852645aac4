import type { FacilitatorEvmSigner } from '@x402/evm';
import { UpstreamUnavailableError } from '@yield-vault/protocol';
import {
  encodeFunctionData,
  TransactionReceiptNotFoundError,
  type Abi,
  type Address,
  type Hex,
  type TransactionReceipt,
} from 'viem';
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
 *
 * @param payer - whose payment it is
 */
export function guardSigner(
  { rpc, key }: PaymentChain,
  broadcaster: Broadcaster,
  payer: Address,
): GuardedSigner {
  let mined: TransactionReceipt | undefined;
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
      ask(async () => {
        const data = encodeFunctionData({ abi: abi as Abi, functionName, args });
        mined = await broadcaster.send({ to: address, data }, payer);
        return mined.transactionHash;
      }),
    sendTransaction: () => Promise.reject(new Error('wallets of payers are not deployed')),
    // Schemes ask for what they have sent, and that was waited for.
    waitForTransactionReceipt: ({ hash }) =>
      mined?.transactionHash === hash
        ? Promise.resolve(mined)
        : Promise.reject(new TransactionReceiptNotFoundError({ hash })),
  };
  return { signer, outage: () => outage };
}
