import type { Address } from 'viem';
import type { DelegationRpc } from '../types.js';
import type { ChainDeployments } from './deployments-on.js';

/**
 * Find an account implementation of ours that has code on the chain: a call of an address without code succeeds and
 * does nothing. Which one does not matter, they keep modules in the same storage.
 */
export async function findDeployedAccount(
  rpc: Pick<DelegationRpc, 'getCode'>,
  deployments: ChainDeployments,
): Promise<Address | undefined> {
  const accounts = [...new Set(deployments.map(({ account }) => account))];
  const codes = await Promise.all(accounts.map((address) => rpc.getCode({ address })));
  return accounts.find((_, index) => (codes[index] ?? '0x') !== '0x');
}
