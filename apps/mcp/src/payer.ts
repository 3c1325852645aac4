import type { Payer } from '@yield-vault/agent-client';
import { createPayer } from '@yield-vault/agent-client/x402';
import type { PayerSettings } from './settings.js';
import { priceOf, ToolError } from './tool-result.js';

/** Create the payer of a server. It refuses a price above the limit, before anything is signed. */
export function payerOf({ account, maxPrice }: PayerSettings): Payer {
  const pay = createPayer(account, { maxPayment: maxPrice });
  return (demand) =>
    pay(demand).catch((error: unknown) => {
      throw new ToolError(
        'PAYMENT_REFUSED',
        `The service asks for ${priceOf(demand.body)}; MAX_PRICE allows ${maxPrice} for one request. Nothing was paid.`,
        'Only the user can raise MAX_PRICE, or put USDC on the chain that is paid on.',
        error,
      );
    });
}
