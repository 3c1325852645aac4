import {
  getAddress,
  hexToBigInt,
  isHex,
  keccak256,
  numberToHex,
  slice,
  type Address,
  type Hex,
  type PublicClient,
} from 'viem';
import { moduleTypes, type ModuleType } from './wallet-calls.js';

/** What a wallet's storage under the namespace of our account says of its modules. */
export interface InstalledModules {
  /** Default modules of the account that the wallet removed; the others are installed by the delegation. */
  readonly removedDefaults: readonly ModuleType[];
  /** Installed beside the default modules. */
  readonly validators: readonly Address[];
  readonly executors: readonly Address[];
  /** False when a list has more entries than our account writes: other code wrote them. */
  readonly complete: boolean;
}

/** ERC-7201 slot of `yieldvault.account`. */
export const accountNamespace = 0xfd05bbc306dcdf66b70cbe020ffabf7a9b7149c915ce12e5d3e8ff3563854200n;

// OpenZeppelin's AccountERC7579 begins with two enumerable sets; each is the slot of an array and one of a mapping.
const lists = { validators: accountNamespace, executors: accountNamespace + 2n };
const longestList = 16;
// After the two sets and the mapping of fallbacks: one bit for each removed default module.
const removedDefaultsSlot = accountNamespace + 5n;

/**
 * Read the modules in a wallet's storage under the namespace of our account, whatever its delegation. Modules and removals
 * outlive the delegation and count again with the next one. The read calls no code of the wallet. It takes one round trip,
 * or two for a wallet with further modules.
 *
 * The catch: other code that the wallet was delegated to can write there too, and can install a module without listing it.
 *
 * @param blockNumber - default the latest block
 */
export async function readInstalledModules(
  rpc: Pick<PublicClient, 'getStorageAt'>,
  wallet: Address,
  blockNumber?: bigint,
): Promise<InstalledModules> {
  const read = (slot: bigint) => readWord(rpc, wallet, slot, blockNumber);
  const readList = async (slot: bigint) => {
    const length = hexToBigInt(await read(slot));
    const first = hexToBigInt(keccak256(numberToHex(slot, { size: 32 })));
    const count = length > longestList ? longestList : Number(length);
    const words = await Promise.all(Array.from({ length: count }, (_, index) => read(first + BigInt(index))));
    return { modules: words.map(addressOf), complete: length <= longestList };
  };

  const [removedDefaults, validators, executors] = await Promise.all([
    readRemovedDefaults(rpc, wallet, blockNumber),
    readList(lists.validators),
    readList(lists.executors),
  ]);
  return {
    removedDefaults,
    validators: validators.modules,
    executors: executors.modules,
    complete: validators.complete && executors.complete,
  };
}

/** Read {@link InstalledModules.removedDefaults} alone. */
export async function readRemovedDefaults(
  rpc: Pick<PublicClient, 'getStorageAt'>,
  wallet: Address,
  blockNumber?: bigint,
): Promise<readonly ModuleType[]> {
  const removed = hexToBigInt(await readWord(rpc, wallet, removedDefaultsSlot, blockNumber));
  return (['validator', 'executor'] as const).filter((type) => ((removed >> moduleTypes[type]) & 1n) === 1n);
}

async function readWord(
  rpc: Pick<PublicClient, 'getStorageAt'>,
  address: Address,
  slot: bigint,
  blockNumber: bigint | undefined,
): Promise<Hex> {
  const word = await rpc.getStorageAt({ address, slot: numberToHex(slot), blockNumber });
  // Some nodes give no digits for an empty slot.
  return isHex(word) && word !== '0x' ? word : '0x0';
}

function addressOf(word: Hex): Address {
  return getAddress(slice(numberToHex(hexToBigInt(word), { size: 32 }), 12));
}
