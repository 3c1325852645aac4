import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import { paymentHeaders } from '@yield-vault/payments';

export const pricedMetadata = 'yield-vault:priced';

/** Names of the routes that may have a price. */
export type PricedRoute = 'discover' | 'prepare';

/** Have the route paid for, where the deployment says so. */
export function Priced(route: PricedRoute): MethodDecorator {
  const headers = paymentHeaders.map((name) =>
    ApiHeader({
      name,
      required: false,
      description: 'A payment for this request (x402), where payments are enforced. See the answer 402.',
    }),
  );
  return applyDecorators(SetMetadata(pricedMetadata, route), ...headers);
}
