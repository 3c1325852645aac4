import { activeBase } from '@yield-vault/devnet';
import { silentLogger, vaultIdOf } from '@yield-vault/protocol';
import { localRegistry, setLocalUsdcBalance } from '@yield-vault/testing/local';
import {
  createPricer,
  createProber,
  planSample,
  sampleBlock,
  toPricedAssets,
  type SamplePlan,
  type TrackedVault,
} from '@yield-vault/vault-discovery';
import pLimit from 'p-limit';
import {
  createPublicClient,
  createTestClient,
  getAddress,
  http,
  publicActions,
  toHex,
  type PublicClient,
} from 'viem';
import { atMost, benchmark, goal, measure, timed } from '../harness.js';
import { startBase, steadyVaults } from '../service.js';

const mostCalls = 400;
const slotsCopied = 24;

export const sample = benchmark({
  description: 'calls and time of one snapshot of many vaults, and of their exits',
  options: { vaults: 10_000, rounds: 5 },
  run: async ({ vaults, rounds }, defer) => {
    const { rpcUrl } = await startBase(defer, { bundlers: false });
    const clones = await cloneVaults(rpcUrl, vaults);
    const plan = planFor(clones);
    let requests = 0;
    const onFetchRequest = async (request: Request) => {
      requests += (await request.clone().text()).split(/"eth_(?:call|simulateV1)"/).length - 1;
    };
    const recorder = createPublicClient({ transport: http(rpcUrl, { onFetchRequest, batch: true }) });
    const { snapshots } = await sampleHead(recorder, plan);
    const count = requests;
    const prober = createProber({ chain: 'base', rpc: recorder, logger: silentLogger });
    let found: Awaited<ReturnType<typeof prober.exits>> = [];
    const measureExits = async () => {
      requests = 0;
      found = await prober.exits(clones, await recorder.getBlockNumber(), new AbortController().signal);
    };
    // The first time also finds the slots of shares.
    await measureExits();
    const { ms } = await timed(measureExits);
    const exits = found.filter(({ method }) => method === 'simulated').length;
    // The client that the service uses, with its deadlines and failover.
    const { rpc } = activeBase({ rpcUrl });
    const { sampled } = await measure({ sampled: () => timed(() => sampleHead(rpc, plan)) }, { rounds });
    return {
      snapshots: { measured: snapshots.length, ...goal(String(vaults), snapshots.length === vaults) },
      eth_calls: { measured: count, ...atMost(mostCalls, count) },
      'wall time (ms)': { measured: sampled.ms },
      exits: { measured: exits, ...goal(String(vaults), exits === vaults) },
      'simulations for the exits of an hour': { measured: requests },
      'time for the exits of an hour (s)': { measured: ms / 1_000 },
    };
  },
});

/**
 * Place many vaults on a local Base: each delegates its code to one of the devnet's vaults (EIP-7702) and has a copy of its
 * storage, so that each is read like a contract of its own.
 */
async function cloneVaults(rpcUrl: string, count: number): Promise<TrackedVault[]> {
  const transport = http(rpcUrl, { batch: { batchSize: 2_000 }, timeout: 120_000 });
  const node = createTestClient({ mode: 'anvil', transport }).extend(publicActions);
  const { address: model, decimalsOffset } = steadyVaults[0]!;
  const registered = localRegistry().vaults.find(({ address }) => address === model)!;
  const slots = await Promise.all(
    Array.from({ length: slotsCopied }, async (_, slot) => {
      const index = toHex(slot, { size: 32 });
      return { index, value: (await node.getStorageAt({ address: model, slot: index }))! };
    }),
  );
  const clones = await pLimit(250).map(Array.from({ length: count }), async (_, index) => {
    const address = getAddress(toHex(0xc10e_0000_0000n + BigInt(index), { size: 20 }));
    await node.setCode({ address, bytecode: `0xef0100${model.slice(2)}` });
    for (const slot of slots) if (BigInt(slot.value) > 0n) await node.setStorageAt({ address, ...slot });
    await setLocalUsdcBalance(node, 8453, address, 10n ** 15n);
    const entry = { ...registered, address, name: `${registered.name} ${index}`, sources: ['registry'] };
    const shareDecimals = registered.asset.decimals + decimalsOffset;
    return { entry, shareDecimals, id: index + 1, vaultId: vaultIdOf(entry.chainId, address) };
  });
  await node.mine({ blocks: 1 });
  return clones;
}

/** As the sampler does. */
function planFor(vaults: readonly TrackedVault[]): SamplePlan {
  const pricer = createPricer({
    chain: { key: 'base', chainId: 8453 },
    assets: toPricedAssets(vaults.map(({ entry }) => entry)),
    logger: { info() {}, warn() {}, error() {} },
  });
  return planSample(vaults, pricer);
}

async function sampleHead(rpc: PublicClient, plan: SamplePlan) {
  const { number, hash, timestamp } = await rpc.getBlock();
  return sampleBlock(rpc, plan, { number: Number(number), hash, t: Number(timestamp) });
}
