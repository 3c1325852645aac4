import type { ActiveChains } from '@yield-vault/chains';
import type { Deployment } from '@yield-vault/deployment';
import { ConfigError } from '@yield-vault/protocol';
import type { DatabaseHandle } from '@yield-vault/database';
import {
  authorizeFacilitator,
  createDatabasePaymentLedger,
  createEmbeddedFacilitator,
  createMemoryFreeQuota,
  createPayments,
  createRemoteFacilitator,
  type DescribeResource,
  type Facilitator,
  type PaymentChain,
  type Payments,
  type ResourcePrice,
} from '@yield-vault/payments';
import { paymentChains } from '@yield-vault/worker';
import type { Logger } from 'pino';
import { privateKeyToAccount } from 'viem/accounts';
import { pricedRoutes } from '../../http/priced.decorator.js';

type PaymentSettings = Extract<Deployment['payments'], { mode: 'on' }>;

const daySeconds = 86_400;
// Time for verification before the handler and for storing its response.
const beforeAndAfterSeconds = 60;

/**
 * Build the payments of a deployment; undefined where payments are off. Payments are made on the chains of wallets.
 *
 * @param describe - describes input and output of a path for the 402
 * @throws {ConfigError} when no payment can succeed; a node that is down is only logged
 */
export async function openPayments(
  { payments: settings, server }: Pick<Deployment, 'payments' | 'server'>,
  wallets: ActiveChains,
  database: DatabaseHandle,
  logger: Logger,
  describe: (path: string) => DescribeResource,
): Promise<Payments | undefined> {
  if (settings.mode === 'off') return undefined;
  const chains = paymentChains(settings, wallets);
  const { payTo, publicUrl, prices, maxTimeoutSeconds, allowlist, freeCallsPerDay } = settings;
  const { maxInFlightPerPayer } = settings;
  const payments = createPayments({
    chains,
    facilitator: openFacilitator(settings, chains, database),
    ledger: createDatabasePaymentLedger(database, { maxInFlightPerPayer }),
    ...(freeCallsPerDay > 0 && {
      freeQuota: createMemoryFreeQuota({ calls: freeCallsPerDay, windowSeconds: daySeconds }),
    }),
    options: {
      payTo,
      publicUrl,
      maxTimeoutSeconds,
      allowlist,
      resources: resourcesOf(prices, describe),
      handlerSeconds: server.requestTimeoutSeconds + beforeAndAfterSeconds,
    },
  });
  const { problems, warnings } = await payments.inspect();
  if (problems.length > 0) throw new ConfigError('The payment options', problems);
  // The checks of token and facilitator may report the same node.
  for (const warning of new Set(warnings)) logger.warn({ warning }, 'payments fail until this is resolved');
  return payments;
}

function openFacilitator(
  { facilitator }: PaymentSettings,
  chains: readonly PaymentChain[],
  database: DatabaseHandle,
): Facilitator {
  if (facilitator.kind === 'embedded') {
    const account = privateKeyToAccount(facilitator.privateKey);
    return createEmbeddedFacilitator({ account, chains, database });
  }
  return createRemoteFacilitator({ url: facilitator.url, authorize: authorizeFacilitator(facilitator) });
}

function resourcesOf(
  prices: PaymentSettings['prices'],
  describe: (path: string) => DescribeResource,
): Record<string, ResourcePrice> {
  return Object.fromEntries(
    Object.entries(pricedRoutes).flatMap(([name, { price: priceSetting, ...route }]) => {
      const priceUsd = prices[priceSetting];
      // A route without a price is free.
      if (priceUsd === undefined) return [];
      return [[name, { ...route, priceUsd, describe: describe(route.path) }]];
    }),
  );
}
