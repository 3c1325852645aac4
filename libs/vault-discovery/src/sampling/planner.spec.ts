import { type Address, numberToHex } from 'viem';
import { buildTrackedVault } from '../../test/build-snapshots.js';
import type { PricedAsset } from '../prices/priced-assets.js';
import { createPlanner } from './planner.js';

const addressOf = (id: number): Address => numberToHex(id, { size: 20 });
const vaults = [1, 2, 3].map((id) => buildTrackedVault({ address: addressOf(id) }, id));
const weth = { symbol: 'WETH', address: addressOf(99), decimals: 18 };

function create() {
  const asked: (readonly PricedAsset[])[] = [];
  const planner = createPlanner((assets) => {
    asked.push(assets);
    const read = { target: addressOf(500 + asked.length), callData: '0x' as const };
    return { reads: () => [read], prices: () => Promise.resolve(new Map()) };
  });
  return { planner, asked };
}

describe('createPlanner', () => {
  it('default: the same vaults have the same batches, which keep their measurements', () => {
    const { planner } = create();
    planner.setAssets(vaults);
    const plan = planner.plan(vaults);
    expect(plan.batches[0]!.reads).toHaveLength(10);
    expect(planner.plan([...vaults]).batches).toBe(plan.batches);
    expect(planner.plan(vaults.slice(1)).batches).not.toBe(plan.batches);
  });

  it('behavior: a pricer is made again only when there are other assets', () => {
    const { planner, asked } = create();
    planner.setAssets(vaults);
    planner.setAssets(vaults.slice(1));
    expect(asked).toHaveLength(1);
    const before = planner.plan(vaults);
    planner.setAssets([...vaults, buildTrackedVault({ address: addressOf(4), asset: weth }, 4)]);
    expect(asked).toHaveLength(2);
    expect(planner.plan(vaults).pricer).not.toBe(before.pricer);
  });
});
