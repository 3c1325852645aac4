import { type Address, numberToHex } from 'viem';
import { buildTrackedVault } from '../../test/build-snapshots.js';
import { fixedPricer } from '../../test/fixed-pricer.js';
import { useFakeChain } from '../../test/start-fake-chain.js';
import { priceSources } from '../ports.js';
import { readHeader } from '../chain/block-finder.js';
import { planSample, sampleBlock } from './sample-block.js';
import type { TrackedVault } from '../catalogue/check-vaults.js';

const chain = useFakeChain(() => [1_000, 2_000, 3_000]);

const addressOf = (index: number): Address => numberToHex(0x1000_0000 + index, { size: 20 });
const buildVaults = (count: number): TrackedVault[] =>
  Array.from({ length: count }, (_, index) => buildTrackedVault({ address: addressOf(index) }, index + 1));

async function sample(
  vaults: readonly TrackedVault[],
  pricer = fixedPricer(),
  plan = planSample(vaults, pricer),
) {
  return sampleBlock(chain.rpc, plan, await readHeader(chain.rpc));
}

describe('sampleBlock', () => {
  it('default: measures vaults at one block and prices their assets', async () => {
    const vaults = buildVaults(2);
    const usdc = vaults[0]!.entry.asset.address.toLowerCase();
    const pricer = fixedPricer(new Map([[usdc, { usd: 0.999, source: priceSources.feed }]]));
    const { snapshots } = await sample(vaults, pricer);
    expect(snapshots).toEqual(
      [1, 2].map((vault) => ({
        vault,
        t: 3_000,
        block: 2n,
        origin: 0,
        priceUsd: 0.999,
        priceSource: priceSources.feed,
        sharePrice: 1_000_002n,
        totalAssets: 1_000_002n,
        totalSupply: 1_000_002n,
      })),
    );
    expect(chain.multicalls).toMatchObject([{ reads: 6, block: 2 }]);
  });

  it('behavior: reads of the pricer are part of the batch', async () => {
    const vaults = buildVaults(1);
    const read = { target: addressOf(99), callData: '0x01e1d114' as const };
    let results: readonly (string | undefined)[] = [];
    await sample(vaults, {
      reads: () => [read],
      prices: (_, responses) => {
        results = responses;
        return Promise.resolve(new Map());
      },
    });
    expect(results).toEqual([numberToHex(1_000_002n, { size: 32 })]);
    expect(chain.multicalls).toHaveLength(1);
  });

  it.each([
    ['a revert', undefined],
    ['no data', '0x'],
    ['more than one word', `0x${'00'.repeat(64)}`],
    ['less than one word', '0x01'],
  ] as const)('behavior: %s is no response, and never 0', async (_, wrong) => {
    const vaults = buildVaults(2);
    const right = chain.respond;
    chain.respond = (target, functionName, block) =>
      target === addressOf(0) && functionName === 'totalAssets' ? wrong : right(target, functionName, block);
    const { snapshots } = await sample(vaults);
    expect(snapshots.map(({ vault }) => vault)).toEqual([2]);
  });

  it('behavior: an unknown price is 0 and marked', async () => {
    const { snapshots } = await sample(buildVaults(1));
    expect(snapshots).toMatchObject([{ priceUsd: 0, priceSource: priceSources.unknown }]);
  });

  it('behavior: a vault that burns 36M gas costs halved batches once, and no snapshot of another vault', async () => {
    const vaults = buildVaults(200);
    chain.gasOf = (target, functionName) =>
      target === addressOf(77) && functionName === 'totalAssets' ? 36_000_000 : 100_000;
    const plan = planSample(vaults, fixedPricer());
    const { snapshots } = await sample(vaults, fixedPricer(), plan);
    expect(snapshots.map(({ vault }) => vault)).toEqual(vaults.flatMap(({ id }) => (id === 78 ? [] : [id])));
    const refused = () => chain.multicalls.filter((call) => call.refused).length;
    const atFirst = refused();
    expect(atFirst).toBeGreaterThan(0);
    expect(atFirst).toBeLessThan(10);

    expect((await sample(vaults, fixedPricer(), plan)).snapshots).toHaveLength(199);
    expect(refused()).toBe(atFirst);
  });

  it('behavior: a read that lacked gas because of others is repeated', async () => {
    const vaults = buildVaults(20);
    // Together more than one call may burn, and the last read is the largest.
    chain.gasOf = (target, functionName) =>
      target === addressOf(19) && functionName === 'totalSupply' ? 9_000_000 : 330_000;
    const plan = planSample(vaults, fixedPricer());
    for (let round = 0; round < 2; round += 1) {
      const { snapshots } = await sample(vaults, fixedPricer(), plan);
      expect(snapshots).toHaveLength(20);
    }
  });
});
