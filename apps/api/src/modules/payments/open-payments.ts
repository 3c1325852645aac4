import type { ActiveChain, ActiveChains } from '@yield-vault/chains';
import type { Deployment } from '@yield-vault/deployment';
import { canonical } from '@yield-vault/contracts';
import type { DatabaseHandle } from '@yield-vault/protocol/database';
import {
  createDatabasePaymentLedger,
  createEmbeddedFacilitator,
  createMemoryFreeQuota,
  createPayments,
  createRemoteFacilitator,
  PaymentSetupError,
  type DescribeResource,
  type Facilitator,
  type PaymentChain,
  type Payments,
  type ResourcePrice,
} from '@yield-vault/payments';
import type { Logger } from 'pino';
import { isAddressEqual } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { pricedRoutes } from './priced.decorator.js';

type PaymentSettings = Extract<Deployment['payments'], { mode: 'on' }>;

const daySeconds = 86_400;
// Time for verification before the handler and for storing its response.
const beforeAndAfterSeconds = 60;
// x402 v1 clients refuse a list that contains an unknown network name.
const v1Networks: Readonly<Record<number, string>> = { 8453: 'base' };

/**
 * Build the payments of a deployment; undefined where payments are off. Payments are made on the chains of wallets.
 *
 * @param describe - describes input and output of a path for the 402
 * @throws {PaymentSetupError} when no payment can succeed; a node that is down is only logged
 */
export async function openPayments(
  { payments: settings, server }: Pick<Deployment, 'payments' | 'server'>,
  wallets: ActiveChains,
  database: DatabaseHandle,
  logger: Logger,
  describe: (path: string) => DescribeResource,
): Promise<Payments | undefined> {
  if (settings.mode === 'off') return undefined;
  const chosen = settings.chains.length === 0 ? wallets.keys : settings.chains;
  const chains = wallets.all.filter(({ key }) => chosen.includes(key)).map(toPaymentChain);
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
      ...{ payTo, publicUrl, maxTimeoutSeconds, allowlist, resources: resourcesOf(prices, describe) },
      handlerSeconds: server.requestTimeoutSeconds + beforeAndAfterSeconds,
    },
  });
  const { problems, warnings } = await payments.inspect();
  if (problems.length > 0) throw new PaymentSetupError(problems);
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
  const { url, bearerToken } = facilitator;
  return createRemoteFacilitator({
    url,
    ...(bearerToken !== undefined && { authorize: () => ({ Authorization: `Bearer ${bearerToken}` }) }),
  });
}

function toPaymentChain({ key, chainId, usdc, rpc }: ActiveChain): PaymentChain {
  const known: Readonly<Record<number, `0x${string}`>> = canonical.usdc;
  const isCanonical = known[chainId] !== undefined && isAddressEqual(known[chainId], usdc);
  return {
    ...{ key, chainId, rpc },
    // Startup fails if the deployment's token has a different EIP-712 domain.
    asset: { address: usdc, decimals: 6, name: 'USD Coin', version: '2' },
    ...(isCanonical && v1Networks[chainId] && { v1Network: v1Networks[chainId] }),
  };
}

function resourcesOf(
  prices: PaymentSettings['prices'],
  describe: (path: string) => DescribeResource,
): Record<string, ResourcePrice> {
  return Object.fromEntries(
    Object.entries(pricedRoutes).flatMap(([name, { price, ...route }]) => {
      const priceUsd = prices[price];
      if (priceUsd === undefined) return [];
      return [[name, { ...route, priceUsd, describe: describe(route.path) }]];
    }),
  );
}
