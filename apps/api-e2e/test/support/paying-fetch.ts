import { ExactEvmScheme } from '@x402/evm/exact/client';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import type { Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

/**
 * Make a fetch that pays by x402.
 *
 * @param onPayment - sees the header of each payment; returns a response to keep the payment from the service
 */
export function payingFetch(privateKey: Hex, onPayment?: (header: string) => Response | void) {
  const watched: typeof fetch = (input, init) => {
    const request = new Request(input, init);
    const header = request.headers.get('PAYMENT-SIGNATURE');
    const response = header === null ? undefined : onPayment?.(header);
    return response ? Promise.resolve(response) : fetch(request);
  };
  const scheme = new ExactEvmScheme(privateKeyToAccount(privateKey));
  return wrapFetchWithPayment(watched, new x402Client().register('eip155:8453', scheme));
}
