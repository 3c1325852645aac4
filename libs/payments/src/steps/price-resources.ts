import { parseAmount } from '@yield-vault/protocol';
import { isAddress, zeroAddress, type Address } from 'viem';
import { PaymentSetupError } from '../errors.js';
import type { PaymentChain } from '../ports.js';
import type { PaymentTerms, PricedResource } from '../types.js';
import { leastSeconds } from './check-window.js';

/** One resource and what a call of it costs. */
export interface ResourcePrice {
  readonly method: string;
  /** Without a query. */
  readonly path: string;
  /** Decimal, e.g. `0.01`. */
  readonly priceUsd: string;
  /** Shown to payers. */
  readonly description: string;
}

/** What prices are made of. */
export interface PriceList {
  readonly payTo: Address;
  /** Scheme, host and base path by which callers reach the service; never taken from a request. */
  readonly publicUrl: string;
  readonly resources: Readonly<Record<string, ResourcePrice>>;
  /** How long a payer is told to let an authorization be valid. */
  readonly maxTimeoutSeconds: number;
}

/**
 * Turn a price list into the terms of every resource on every chain.
 *
 * @throws {PaymentSetupError} when a price is no amount of every token, or something is missing
 */
export function priceResources(
  list: PriceList,
  chains: readonly PaymentChain[],
): ReadonlyMap<string, PricedResource> {
  const problems: string[] = [];
  if (!isAddress(list.payTo) || list.payTo === zeroAddress) problems.push('payTo is no address');
  if (chains.length === 0) problems.push('no chain takes payments');
  if (!isHttpUrl(list.publicUrl)) problems.push('publicUrl is no absolute http or https URL');
  // Whoever signs for no longer than that is refused.
  if (list.maxTimeoutSeconds <= leastSeconds)
    problems.push(`maxTimeoutSeconds is not above ${String(leastSeconds)}`);

  const resources = new Map<string, PricedResource>();
  for (const [name, { method, path, priceUsd, description }] of Object.entries(list.resources)) {
    const terms: PaymentTerms[] = [];
    for (const chain of chains) {
      const amount = toBaseUnits(priceUsd, chain.asset.decimals);
      if (amount === undefined) {
        problems.push(`the price of ${name} is no amount above zero of the token on ${chain.key}`);
        continue;
      }
      const { payTo, maxTimeoutSeconds } = list;
      terms.push({ chain, network: `eip155:${chain.chainId}`, payTo, amount, maxTimeoutSeconds });
    }
    resources.set(name, {
      url: `${list.publicUrl.replace(/\/+$/, '')}${path}`,
      method,
      path,
      description,
      terms,
    });
  }
  if (problems.length > 0) throw new PaymentSetupError(problems);
  return resources;
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

/** Exact: a price that is finer than the token is refused, never rounded. */
function toBaseUnits(priceUsd: string, decimals: number): bigint | undefined {
  try {
    return parseAmount(priceUsd, decimals, 'priceUsd');
  } catch {
    return undefined;
  }
}
