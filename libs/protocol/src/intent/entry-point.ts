import { isAddressEqual, type Address } from 'viem';

/** The canonical ERC-4337 entry points that are supported, the same on every chain. */
export const entryPoints = {
  '0.7': '0x0000000071727De22E5E9d8BAf0edAc6f37da032',
  '0.8': '0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108',
} as const satisfies Readonly<Record<string, Address>>;

/** Versions of the entry point that are supported. They hash a user operation differently. */
export type EntryPointVersion = keyof typeof entryPoints;

/** Tell the version of an entry point by its address; `undefined` for any that is not canonical. */
export function entryPointVersionOf(entryPoint: Address): EntryPointVersion | undefined {
  const versions = Object.keys(entryPoints) as EntryPointVersion[];
  return versions.find((version) => isAddressEqual(entryPoints[version], entryPoint));
}
