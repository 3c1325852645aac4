import { entryPointV08Abi } from '@yield-vault/contracts';
import { sameHex } from '@yield-vault/protocol';
import { getAbiItem, type Hex, type PublicClient } from 'viem';
import type { VerifiedEnvelope } from '../verify/types.js';
import { readNonceSequence } from './read-nonce-sequence.js';

/** What became of a signed intent for good. */
export type Fate =
  | {
      readonly kind: 'included';
      readonly success: boolean;
      readonly txHash: Hex;
      readonly blockNumber: bigint;
      readonly gasUsed: bigint;
    }
  /** It can never be included: `txHash` is that of the operation which used its nonce. */
  | { readonly kind: 'never'; readonly why: 'NONCE_USED'; readonly txHash: Hex }
  | { readonly kind: 'never'; readonly why: 'EXPIRED'; readonly txHash?: undefined };

// Far more blocks than pass while an intent is valid, and few enough for every public node.
const searchBlocks = 1_000n;
// The same in every version.
const event = getAbiItem({ abi: entryPointV08Abi, name: 'UserOperationEvent' });

/**
 * Find out from a node alone what became of an intent.
 *
 * @returns `undefined` while it may still be included, or while the node does not say by what its nonce was used
 */
export async function readFate(
  rpc: Pick<PublicClient, 'getBlock' | 'getLogs' | 'readContract'>,
  { deployment, envelope, nonceSequence, userOpHash }: VerifiedEnvelope,
): Promise<Fate | undefined> {
  const { sender: wallet, nonce } = envelope.userOps[0]!.userOperation;
  const { number, timestamp } = await rpc.getBlock();
  const [next, events] = await Promise.all([
    readNonceSequence(rpc, wallet, deployment, number),
    rpc.getLogs({
      address: deployment.entryPoint,
      event,
      args: { sender: wallet },
      fromBlock: number > searchBlocks ? number - searchBlocks : 0n,
      toBlock: number,
      strict: true,
    }),
  ]);
  const use = events.find(({ args }) => args.nonce === BigInt(nonce));
  if (!use) {
    const isUnused = next <= nonceSequence;
    return isUnused && timestamp > envelope.expiry ? { kind: 'never', why: 'EXPIRED' } : undefined;
  }
  const { args, transactionHash: txHash } = use;
  if (!sameHex(args.userOpHash, userOpHash)) return { kind: 'never', why: 'NONCE_USED', txHash };
  return {
    kind: 'included',
    success: args.success,
    txHash,
    blockNumber: use.blockNumber,
    gasUsed: args.actualGasUsed,
  };
}
