import { ConfigError, parseAmount, type PricesResponse } from '@yield-vault/protocol';
import { isAddress, zeroAddress, type Address } from 'viem';
import { leastSeconds } from './read-payment.js';
import type { PaymentChain, PaymentTerms, PricedResource, DescribeResource } from './types.js';
import { toRequirements } from './x402-messages.js';

/** A resource and the price of one call. */
export interface ResourcePrice {
  readonly method: string;
  /** Without a query. */
  readonly path: string;
  /** Decimal, e.g. `0.01`. */
  readonly priceUsd: string;
  /** Shown to payers. */
  readonly description: string;
  /** Optional; called for each 402. */
  readonly describe?: DescribeResource;
}

/** The prices of a deployment. */
export interface PriceList {
  readonly payTo: Address;
  /** Public scheme, host and base path of the service. The Host header of a request is never used. */
  readonly publicUrl: string;
  readonly resources: Readonly<Record<string, ResourcePrice>>;
  /** Longest validity that the terms allow for an authorization. */
  readonly maxTimeoutSeconds: number;
}

/**
 * Convert a price list to the terms of every resource on every chain.
 *
 * @throws {ConfigError} when a setting is invalid, or a token cannot represent a price
 */
export function priceResources(
  list: PriceList,
  chains: readonly PaymentChain[],
): ReadonlyMap<string, PricedResource> {
  const { payTo, publicUrl, maxTimeoutSeconds } = list;
  const problems: string[] = [];
  if (!isAddress(payTo) || payTo === zeroAddress)
    problems.push('payTo is not an address that can receive payments');
  if (chains.length === 0) problems.push('no chain accepts payments');
  if (!isHttpUrl(publicUrl)) problems.push('publicUrl is not an absolute http or https URL');
  // A payer who follows the terms must pass the check of the shortest validity.
  if (maxTimeoutSeconds <= leastSeconds)
    problems.push(`maxTimeoutSeconds must be above ${String(leastSeconds)}`);

  const resources = new Map<string, PricedResource>();
  for (const [name, { priceUsd, ...resource }] of Object.entries(list.resources)) {
    const terms: PaymentTerms[] = [];
    for (const chain of chains) {
      const amount = toBaseUnits(priceUsd, chain.asset.decimals);
      if (amount === undefined) {
        const { decimals } = chain.asset;
        problems.push(
          `the price of ${name} must be above zero with at most ${decimals} decimals on ${chain.key}`,
        );
        continue;
      }
      terms.push({ chain, network: `eip155:${chain.chainId}`, payTo, amount, maxTimeoutSeconds });
    }
    const url = `${publicUrl.replace(/\/+$/, '')}${resource.path}`;
    resources.set(name, { ...resource, url, terms });
  }
  if (problems.length > 0) throw new ConfigError('The payment options', problems);
  return resources;
}

/** Build the document at `/.well-known/x402`. */
export function describePrices(priced: Iterable<PricedResource>): PricesResponse {
  const all = [...priced];
  return {
    version: 1,
    x402Version: 2,
    resources: all.map(({ url }) => url),
    items: all.map(({ url, method, description, terms, describe }) => ({
      resource: url,
      type: 'http',
      method,
      description,
      accepts: terms.map(toRequirements),
      extensions: describe?.('full').extensions,
    })),
  };
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

/** The conversion is exact: a price finer than the token is refused, never rounded. */
function toBaseUnits(priceUsd: string, decimals: number): bigint | undefined {
  try {
    return parseAmount(priceUsd, decimals, 'priceUsd');
  } catch {
    return undefined;
  }
}
