import { localAssets, localRegistry, localVaults } from '@yield-vault/testing/local';
import { vaultIdOf } from '@yield-vault/protocol';
import type { TrackedVault } from '@yield-vault/vault-discovery';
import { createTestClient, getAddress, http, publicActions, toHex, type Address, type Hex } from 'viem';
import { anvil } from 'viem/chains';

const slotsCopied = 24;
const vaultsAtOnce = 250;
/** Vaults of these kinds answer every read. */
const kinds: ReadonlySet<string> = new Set(['steady', 'faster', 'lossy']);

/**
 * Place many vaults on a local Base: each delegates its code to one of the devnet's vaults (EIP-7702) and has a copy of its
 * storage, so that each is read like a contract of its own.
 */
export async function cloneVaults(rpcUrl: string, count: number): Promise<TrackedVault[]> {
  const client = createTestClient({
    mode: 'anvil',
    chain: anvil,
    transport: http(rpcUrl, { batch: { batchSize: 2_000 }, timeout: 120_000 }),
  }).extend(publicActions);
  const models = await Promise.all(
    localVaults[8453]
      .filter(({ kind }) => kinds.has(kind))
      .map(async ({ address, asset, decimalsOffset }) => ({
        address,
        shareDecimals: localAssets[asset].decimals + decimalsOffset,
        entry: localRegistry().vaults.find((entry) => entry.address === address)!,
        slots: await readSlots(client, address),
      })),
  );
  const vaults: TrackedVault[] = [];
  while (vaults.length < count) {
    const clones = Array.from({ length: Math.min(vaultsAtOnce, count - vaults.length) }, (_, index) => {
      const number = vaults.length + index;
      return { model: models[number % models.length]!, address: cloneAddress(number), number };
    });
    await Promise.all(
      clones.flatMap(({ address, model }) => [
        client.setCode({ address, bytecode: `0xef0100${model.address.slice(2)}` }),
        ...model.slots.map(([index, value]) => client.setStorageAt({ address, index, value })),
      ]),
    );
    vaults.push(
      ...clones.map(({ model: { entry, shareDecimals }, address, number }) => ({
        entry: { ...entry, address, name: `${entry.name} ${String(number)}`, sources: ['registry'] },
        ...{ shareDecimals, id: number + 1, vaultId: vaultIdOf(entry.chainId, address) },
      })),
    );
  }
  await client.mine({ blocks: 1 });
  return vaults;
}

interface SlotReader {
  getStorageAt(slot: { readonly address: Address; readonly slot: Hex }): Promise<Hex | undefined>;
}

/** The first slots that are not empty. */
async function readSlots(client: SlotReader, address: Address): Promise<(readonly [Hex, Hex])[]> {
  const indexes = Array.from({ length: slotsCopied }, (_, index) => toHex(index, { size: 32 }));
  const values = await Promise.all(indexes.map((slot) => client.getStorageAt({ address, slot })));
  return indexes.flatMap((index, position) => {
    const value = values[position];
    return value === undefined || BigInt(value) === 0n ? [] : [[index, value] as const];
  });
}

const cloneAddress = (number: number): Address =>
  getAddress(toHex(0xc10e_0000_0000n + BigInt(number), { size: 20 }));
