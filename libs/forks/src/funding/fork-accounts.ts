import { getAddress, keccak256, parseEther, slice, stringToBytes, type Address } from 'viem';
import type { LaunchedFork } from '../ports.js';

/** Pays for what is done to a fork while it is provisioned. Nobody has its key. */
export const forkOperator = accountOf('operator');

/** Mints USDC on a fork. Nobody has its key. */
export const forkMinter = accountOf('minter');

const enoughForGas = parseEther('1');

/** See to it that an account in whose name something is sent can pay for it. */
export async function payGasOf(
  fork: Pick<LaunchedFork, 'request' | 'addEth'>,
  address: Address,
  wei = enoughForGas,
): Promise<void> {
  const balance = BigInt((await fork.request('eth_getBalance', [address, 'latest'])) as string);
  if (balance < wei) await fork.addEth(address, wei - balance);
}

function accountOf(role: string): Address {
  return getAddress(slice(keccak256(stringToBytes(`yield-vault fork ${role}`)), 12));
}
