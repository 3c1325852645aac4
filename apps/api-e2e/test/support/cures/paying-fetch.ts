import { ExactEvmScheme } from '@x402/evm/exact/client';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { privateKeyToAccount } from 'viem/accounts';
import type { FundedAgent } from '../funded-agent.js';

/** Make a fetch that pays by x402; `onPayment` sees the header of each payment. */
export function payingFetch({ privateKey }: FundedAgent, onPayment?: (header: string) => void) {
  const watched: typeof fetch = (input, init) => {
    const request = new Request(input, init);
    const header = request.headers.get('PAYMENT-SIGNATURE');
    if (header) onPayment?.(header);
    return fetch(request);
  };
  const scheme = new ExactEvmScheme(privateKeyToAccount(privateKey));
  return wrapFetchWithPayment(watched, new x402Client().register('eip155:8453', scheme));
}
