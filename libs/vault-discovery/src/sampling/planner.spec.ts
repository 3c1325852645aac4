import type { ActiveChain } from '@yield-vault/chains';
import { type Address, numberToHex } from 'viem';
import { buildTrackedVault } from '../../test/build-snapshots.js';
import type { PricedAsset } from '../prices/priced-assets.js';
import { createPlanner } from './planner.js';
import { silentLogger } from '../ports.js';

const addressOf = (id: number): Address => numberToHex(id, { size: 20 });
const vaults = [1, 2, 3].map((id) => buildTrackedVault({ address: addressOf(id) }, id));
const weth = { symbol: 'WETH', address: addressOf(99), decimals: 18 };

function create(isDown = () => false) {
  const asked: (readonly PricedAsset[])[] = [];
  const planner = createPlanner({
    chain: { key: 'base' } as ActiveChain,
    pricerOf: (_, assets) => {
      asked.push(assets);
      if (isDown()) return Promise.reject(new Error('down'));
      const read = { target: addressOf(500 + asked.length), callData: '0x' as const };
      return { reads: () => [read], prices: () => Promise.resolve(new Map()) };
    },
    settings: { batchSize: 200, readGasLimit: 1 },
    logger: silentLogger,
  });
  return { planner, asked };
}

describe('createPlanner', () => {
  it('default: the same vaults have the same batches, which keep their measurements', async () => {
    const { planner } = create();
    await planner.price(vaults);
    const plan = planner.plan(vaults);
    expect(plan.batches[0]!.reads).toHaveLength(10);
    expect(planner.plan([...vaults]).batches).toBe(plan.batches);
    expect(planner.plan(vaults.slice(1)).batches).not.toBe(plan.batches);
  });

  it('behavior: facts of vaults that changed are used at once', async () => {
    const { planner } = create();
    await planner.price(vaults);
    planner.plan(vaults);
    const changed = vaults.map((vault) => ({ ...vault, entry: { ...vault.entry, flags: ['new'] } }));
    expect(planner.plan(changed).vaults).toBe(changed);
  });

  it('behavior: a pricer is made again only when there are other assets', async () => {
    const { planner, asked } = create();
    await planner.price(vaults);
    await planner.price(vaults.slice(1));
    expect(asked).toHaveLength(1);
    const before = planner.plan(vaults);
    await planner.price([...vaults, buildTrackedVault({ address: addressOf(4), asset: weth }, 4)]);
    expect(asked).toHaveLength(2);
    expect(planner.plan(vaults).pricer).not.toBe(before.pricer);
  });

  it('behavior: without prices vaults are sampled all the same, and prices are requested again', async () => {
    let isDown = true;
    const { planner, asked } = create(() => isDown);
    await planner.price(vaults);
    expect(planner.plan(vaults).batches[0]!.reads).toHaveLength(9);
    isDown = false;
    await planner.price(vaults);
    expect(asked).toHaveLength(2);
    expect(planner.plan(vaults).batches[0]!.reads).toHaveLength(10);
  });
});
