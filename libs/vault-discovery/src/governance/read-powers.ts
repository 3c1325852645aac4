import type { Address, Hex } from 'viem';
import { addressesOf, addressOf, type GroupReader, orNull, toRead } from './group-reader.js';

/** Who can change a vault, or its code. */
export interface Powers {
  /** Zero where it was given up; undefined where the contract does not name one. */
  readonly owner: Address | undefined;
  /** All accounts that the vault and its proxy name. */
  readonly accounts: readonly Address[];
  readonly isProxy: boolean;
}

// EIP-1967.
const implementationSlot: Hex = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc';
const adminSlot: Hex = '0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103';
const beaconSlot: Hex = '0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50';
/** Bytecode that returns the storage slot in its call data. */
const readSlot: Hex = '0x6000355460005260206000f3';

/** Ownable, Euler, Yearn's vaults and strategies, OpenZeppelin's AccessManaged. */
const ownerFunctions = [
  'owner()',
  'governorAdmin()',
  'role_manager()',
  'management()',
  'governance()',
  'authority()',
];

/** Read who controls vaults: their own roles, and the roles of their proxies. */
export async function readPowers(read: GroupReader, vaults: readonly Address[]): Promise<readonly Powers[]> {
  const slots = await read(
    vaults.map((target) =>
      [implementationSlot, adminSlot, beaconSlot].map((callData) => ({ target, callData })),
    ),
    vaults.map((address) => ({ address, code: readSlot })),
  );
  const owners = await read(
    vaults.map((vault) => ownerFunctions.map((signature) => toRead(vault, signature))),
  );
  return owners.map((found, index) => {
    const [implementation, ...upgraders] = slots[index]!;
    const owners = addressesOf(found);
    return {
      // A role that is set wins over one that was given up.
      owner: owners[0] ?? found.map(addressOf).find(Boolean),
      accounts: [...owners, ...addressesOf(upgraders)],
      isProxy: Boolean(orNull(addressOf(implementation))),
    };
  });
}
