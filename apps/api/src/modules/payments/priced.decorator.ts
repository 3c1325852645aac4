import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import { paymentHeaders, type PaymentHeader } from '@yield-vault/payments';

export const pricedMetadata = 'yield-vault:priced';

/** Carries the key of a caller who is exempt from payment. */
export const accessKeyHeader = 'X-Access-Key';

/** The routes that may have a price. */
export type PricedRoute = 'discover' | 'prepare' | 'gaslessSetup';

const descriptions: Readonly<Record<PaymentHeader | typeof accessKeyHeader, string>> = {
  'PAYMENT-SIGNATURE':
    'An x402 v2 payment for this request, in base64. Needed where payments are enforced; see the 402 response.',
  'X-PAYMENT': 'An x402 v1 or v2 payment, in base64. Send one of the two headers.',
  [accessKeyHeader]: 'An access key from the operator of the deployment. Its holder need not pay.',
};

/** Mark a route that has a price where payments are on. */
export function Priced(route: PricedRoute): MethodDecorator {
  const headers = ([...paymentHeaders, accessKeyHeader] as const).map((name) =>
    ApiHeader({ name, required: false, description: descriptions[name] }),
  );
  return applyDecorators(SetMetadata(pricedMetadata, route), ...headers);
}
