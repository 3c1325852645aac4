import { Reflector } from '@nestjs/core';
import type { Deployment } from '@yield-vault/deployment';
import { gaslessSetupPath } from '@yield-vault/protocol';

/** Carries the key of a caller who is exempt from payment. */
export const accessKeyHeader = 'X-Access-Key';

/** The routes that may have a price, by the name of their operation. */
export type PricedRoute = 'discover' | 'prepare' | 'gaslessSetup' | 'calls';

type Prices = Extract<Deployment['payments'], { mode: 'on' }>['prices'];

interface PricedPath {
  /** Setting of the price. */
  readonly price: keyof Prices;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Shown to payers. */
  readonly description: string;
}

export const pricedRoutes: Readonly<Record<PricedRoute, PricedPath>> = {
  discover: {
    price: 'discover',
    method: 'POST',
    path: '/v1/yield/discover',
    description: 'Rank the vaults of a chain',
  },
  prepare: {
    price: 'prepare',
    method: 'POST',
    path: '/v1/yield/prepare',
    description: 'Build a setup or an execution payload',
  },
  gaslessSetup: {
    price: 'prepare',
    method: 'POST',
    path: gaslessSetupPath,
    description: 'Build the deposit of a wallet that sets itself up by it',
  },
  calls: {
    price: 'prepare',
    method: 'GET',
    path: '/v1/yield/calls',
    description: 'Build unsigned calls for any wallet',
  },
};

/** Mark a route, or the routes of a controller, that have a price where payments are on. */
export const Priced = Reflector.createDecorator<PricedRoute>();
