import type { OpenAPIObject } from '@nestjs/swagger';
import type { PaymentSettings } from '../settings.js';
import { accessKeyHeader, pricedRoutes, type PricedRoute } from '../http/priced.decorator.js';

type SecurityScheme = NonNullable<NonNullable<OpenAPIObject['components']>['securitySchemes']>[string];

const inHeader = (name: string, description: string): SecurityScheme => ({
  type: 'apiKey',
  in: 'header',
  name,
  description,
});

const schemes = {
  payment: inHeader(
    'PAYMENT-SIGNATURE',
    'An x402 v2 payment for this request, in base64; see the 402 response.',
  ),
  paymentV1: inHeader('X-PAYMENT', 'An x402 v1 or v2 payment for this request, in base64.'),
  accessKey: inHeader(
    accessKeyHeader,
    'An access key from the operator of the deployment. Its holder need not pay.',
  ),
} as const;

/** Add prices, and the ways to pay them, to the routes that have a price. */
export function describePayments(document: OpenAPIObject, payments: PaymentSettings): OpenAPIObject {
  if (payments.mode === 'off') return document;
  for (const operation of Object.values(document.paths).flatMap(({ get, post }) => [get, post])) {
    const route = operation?.operationId as PricedRoute | undefined;
    const amount = route && route in pricedRoutes && payments.prices[pricedRoutes[route].price];
    if (!operation || !amount) continue;
    operation.security = Object.keys(schemes).map((name) => ({ [name]: [] }));
    Object.assign(operation, {
      'x-payment-info': {
        price: { mode: 'fixed', currency: 'USD', amount },
        protocols: [{ x402: {} }],
      },
    });
  }
  return { ...document, components: { ...document.components, securitySchemes: schemes } };
}
