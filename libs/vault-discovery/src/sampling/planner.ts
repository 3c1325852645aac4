import type { TrackedVault } from '../catalogue/check-vaults.js';
import { type PricedAsset, type Pricer, toPricedAssets } from '../prices/priced-assets.js';
import { planSample, type SamplePlan } from './sample-block.js';

const maxPlans = 8;

/** Keeps the encoded reads of recent sets of vaults. */
export interface Planner {
  /** Make the pricer of the assets of vaults, again only when the assets change. */
  setAssets(vaults: readonly TrackedVault[]): void;
  pricer(): Pricer;
  /** Plan a sample. The same vaults get the same plan, which remembers the batches that nodes refused. */
  plan(vaults: readonly TrackedVault[]): SamplePlan;
}

/** Create a planner that knows no prices yet. */
export function createPlanner(pricerOf: (assets: readonly PricedAsset[]) => Pricer): Planner {
  let pricer: Pricer = { reads: () => [], prices: () => Promise.resolve(new Map()) };
  let pricedAssets = '';
  const plans = new Map<string, SamplePlan>();

  return {
    setAssets: (vaults) => {
      const assets = toPricedAssets(vaults.map(({ entry }) => entry));
      const wanted = JSON.stringify(assets);
      if (wanted === pricedAssets) return;
      pricer = pricerOf(assets);
      pricedAssets = wanted;
      plans.clear();
    },
    pricer: () => pricer,
    plan: (vaults) => {
      const key = vaults.map(({ id }) => id).join();
      const plan = plans.get(key) ?? planSample(vaults, pricer);
      // Newest last, so that the least recently used plan is removed.
      plans.delete(key);
      plans.set(key, plan);
      if (plans.size > maxPlans) plans.delete(plans.keys().next().value!);
      // The facts of a vault may have changed; its reads have not.
      return plan.vaults === vaults ? plan : { ...plan, vaults };
    },
  };
}
