import { keccak256, stringToBytes, type Address, type Hex } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';

// Keys of their own rather than Anvil's: a caller that uses an Anvil account never meets a foreign nonce.
export const executorKeys: readonly Hex[] = [0, 1, 2, 3].map((index) =>
  localKey(`executor ${String(index)}`),
);
export const utilityKey: Hex = localKey('utility');

/** The account that deploys the contracts of the bundler. */
export const bundlerUtility: Address = privateKeyToAddress(utilityKey);

/** Key of the account that pays gas for the embedded facilitator of the API server. */
export const facilitatorKey: Hex = localKey('facilitator');

/** The accounts that a bundler and the facilitator send from; they need ETH before those start. */
export const bundlerAccounts: readonly Address[] = [
  ...executorKeys.map(privateKeyToAddress),
  privateKeyToAddress(facilitatorKey),
  bundlerUtility,
];

function localKey(name: string): Hex {
  return keccak256(stringToBytes(`yield vault devnet ${name}`));
}
