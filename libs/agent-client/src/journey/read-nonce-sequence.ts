import { entryPointV08Abi } from '@yield-vault/contracts';
import { nonceKey } from '@yield-vault/smart-account';
import type { Address, PublicClient } from 'viem';
import type { BookDeployment } from '../verify/types.js';

/** Read the next sequence of the operations of a wallet; of the latest block unless one is given. */
export async function readNonceSequence(
  rpc: Pick<PublicClient, 'readContract'>,
  wallet: Address,
  { entryPoint, validator }: BookDeployment,
  blockNumber?: bigint,
): Promise<bigint> {
  const nonce = await rpc.readContract({
    address: entryPoint,
    // The same in every version.
    abi: entryPointV08Abi,
    functionName: 'getNonce',
    args: [wallet, nonceKey(validator)],
    ...(blockNumber !== undefined && { blockNumber }),
  });
  return BigInt.asUintN(64, nonce);
}
