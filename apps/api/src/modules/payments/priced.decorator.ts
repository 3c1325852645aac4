import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import { paymentHeaders, type PaymentHeader } from '@yield-vault/payments';

export const pricedMetadata = 'yield-vault:priced';

/** Presented by callers who need not pay. */
export const accessKeyHeader = 'X-Access-Key';

/** Names of the routes that may have a price. */
export type PricedRoute = 'discover' | 'prepare';

const descriptions: Readonly<Record<PaymentHeader | typeof accessKeyHeader, string>> = {
  'PAYMENT-SIGNATURE':
    'A payment for this request as x402 v2 writes it, in base64; only where payments are enforced. See the answer 402.',
  'X-PAYMENT': 'The same under its older name, as x402 v1 or v2 writes it. One of the two is enough.',
  [accessKeyHeader]: 'A key of a caller who need not pay, as the operator of the deployment gave it.',
};

/** Have the route paid for, where the deployment says so. */
export function Priced(route: PricedRoute): MethodDecorator {
  const headers = ([...paymentHeaders, accessKeyHeader] as const).map((name) =>
    ApiHeader({ name, required: false, description: descriptions[name] }),
  );
  return applyDecorators(SetMetadata(pricedMetadata, route), ...headers);
}
