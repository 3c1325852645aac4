import { parseDelegation } from '@yield-vault/smart-account';
import { isAddressEqual, type Address, type Hex } from 'viem';
import { knownImplementations } from '../known-contracts.js';
import type { Delegation, DelegationRpc } from '../types.js';
import type { ChainDeployments } from './deployments-on.js';
import { nameOf } from './name-of.js';
import { readForeignAccount } from './read-foreign-account.js';

/** What a wallet's code says; which modules `ours` lacks is for the storage to say. */
export type CodeDelegation =
  | Exclude<Delegation, { readonly kind: 'ours' }>
  | { readonly kind: 'ours'; readonly implementation: Address };

/** Read what a wallet is delegated to. */
export async function readDelegation(
  rpc: Pick<DelegationRpc, 'call' | 'getCode'>,
  wallet: Address,
  deployments: ChainDeployments,
): Promise<CodeDelegation> {
  const code = await rpc.getCode({ address: wallet });
  if (isEmpty(code)) return { kind: 'none' };
  const implementation = parseDelegation(code);
  if (implementation === undefined) return { kind: 'contract' };

  const name = nameOf(implementation, knownImplementations);
  const target = await rpc.getCode({ address: implementation });
  // A delegation is followed once: an implementation that is itself a delegation runs nothing.
  if (isEmpty(target) || parseDelegation(target)) return { kind: 'ghost', implementation, name };
  if (deployments.some(({ account }) => isAddressEqual(account, implementation)))
    return { kind: 'ours', implementation };
  return { kind: 'foreign', implementation, name, ...(await readForeignAccount(rpc, wallet)) };
}

function isEmpty(code: Hex | undefined): code is undefined | '0x' {
  return code === undefined || code === '0x';
}
