import type { Deployment } from '@yield-vault/deployment';

/** Routes that share one request limit. */
export type RouteGroup = keyof Deployment['rateLimits']['perMinute'];

/** What the document of the API says about payments. */
export type PaymentSettings =
  | { readonly mode: 'off' }
  | Pick<Extract<Deployment['payments'], { mode: 'on' }>, 'mode' | 'publicUrl' | 'prices'>;

/** The part of a deployment that the server itself needs; the features get the rest. */
export interface ServerSettings extends Pick<Deployment, 'environment' | 'worker' | 'server' | 'rateLimits'> {
  readonly preflight: Pick<Deployment['preflight'], 'mode'>;
  readonly intents: Pick<Deployment['intents'], 'expirySeconds'>;
  readonly payments: PaymentSettings;
  /** Whether the routes under `/v1/testing` are served. */
  readonly testing: Pick<Deployment['testing'], 'enabled'>;
}
