import type { ActiveChain } from '@yield-vault/chains';
import {
  planSample,
  type SamplePlan,
  type SampleSettings,
  type TrackedVault,
} from '../chain/sample-block.js';
import type { LoggerPort } from '../ports.js';
import { type PricedAsset, type Pricer, toPricedAssets } from '../prices/priced-assets.js';

const maxPlans = 8;
const noPrices: Pricer = { reads: () => [], prices: () => Promise.resolve(new Map()) };

export interface PlannerDeps {
  readonly chain: ActiveChain;
  readonly pricerOf: (chain: ActiveChain, assets: readonly PricedAsset[]) => Promise<Pricer> | Pricer;
  readonly settings: SampleSettings;
  readonly logger: LoggerPort;
}

/** Plans samples. */
export interface Planner {
  /** Prepare to price the assets of vaults, again only when the assets change. Never throws. */
  price(vaults: readonly TrackedVault[]): Promise<void>;
  pricer(): Pricer;
  /** Plan a sample. The same vaults get the same plan, which remembers the batches that nodes refused. */
  plan(vaults: readonly TrackedVault[]): SamplePlan;
}

/** Create a planner that knows no prices yet. */
export function createPlanner({ chain, pricerOf, settings, logger }: PlannerDeps): Planner {
  let pricer = noPrices;
  let pricedAssets = '';
  const plans = new Map<string, SamplePlan>();

  return {
    price: async (vaults) => {
      const assets = toPricedAssets(vaults.map(({ entry }) => entry));
      const wanted = JSON.stringify(assets);
      if (wanted === pricedAssets) return;
      try {
        pricer = await pricerOf(chain, assets);
        pricedAssets = wanted;
        plans.clear();
      } catch (err) {
        logger.warn({ chain: chain.key, err }, 'new assets have no prices yet');
      }
    },
    pricer: () => pricer,
    plan: (vaults) => {
      const key = vaults.map(({ id }) => id).join();
      const plan = plans.get(key) ?? planSample(vaults, pricer, settings);
      // Newest last, so that the least recently used plan is removed.
      plans.delete(key);
      plans.set(key, plan);
      if (plans.size > maxPlans) plans.delete(plans.keys().next().value!);
      return plan.vaults === vaults ? plan : { ...plan, vaults };
    },
  };
}
