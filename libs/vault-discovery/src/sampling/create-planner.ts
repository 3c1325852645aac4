import type { ActiveChain } from '@yield-vault/chains';
import {
  planSample,
  type SamplePlan,
  type SampleSettings,
  type TrackedVault,
} from '../chain/sample-block.js';
import type { LoggerPort } from '../ports.js';
import { toPricedAssets } from '../prices/to-priced-assets.js';
import type { PricedAsset, Pricer } from '../prices/types.js';

const mostPlans = 8;
const noPrices: Pricer = { reads: () => [], prices: () => Promise.resolve(new Map()) };

export interface PlannerDeps {
  readonly chain: ActiveChain;
  readonly pricerOf: (chain: ActiveChain, assets: readonly PricedAsset[]) => Promise<Pricer> | Pricer;
  readonly settings: SampleSettings;
  readonly logger: LoggerPort;
}

/** Plans samples. */
export interface Planner {
  /** Prepare to price the assets of vaults: again only when there are others. Never throws. */
  price(vaults: readonly TrackedVault[]): Promise<void>;
  pricer(): Pricer;
  /** The same plan again for the same vaults, with what it learnt about its batches. */
  plan(vaults: readonly TrackedVault[]): SamplePlan;
}

/** Begin without prices. */
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
        logger.warn({ chain: chain.key, err }, 'the prices of new assets are not known yet');
      }
    },
    pricer: () => pricer,
    plan: (vaults) => {
      const key = vaults.map(({ id }) => id).join();
      const plan = plans.get(key) ?? planSample(vaults, pricer, settings);
      // Newest last, so that the one that was not used for longest is forgotten.
      plans.delete(key);
      plans.set(key, plan);
      if (plans.size > mostPlans) plans.delete(plans.keys().next().value!);
      return plan.vaults === vaults ? plan : { ...plan, vaults };
    },
  };
}
