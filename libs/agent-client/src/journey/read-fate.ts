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

// Half an hour on Base, far more than an intent is valid for; public nodes search no more at once.
const searchBlocks = 1_000n;
// The same in every version.
const event = getAbiItem({ abi: entryPointV08Abi, name: 'UserOperationEvent' });

/**
 * Find out from a node alone what became of an intent. While its nonce is unused, no event is searched for.
 *
 * @returns `undefined` while it may still be included, or when the last 1000 blocks do not say by what its nonce was used
 */
export async function readFate(
  rpc: Pick<PublicClient, 'getBlock' | 'getLogs' | 'readContract'>,
  { deployment, envelope, nonceSequence, userOpHash }: VerifiedEnvelope,
): Promise<Fate | undefined> {
  const { sender: wallet, nonce } = envelope.userOps[0]!.userOperation;
  const { number, timestamp } = await rpc.getBlock();
  const next = await readNonceSequence(rpc, wallet, deployment, number);
  if (next <= nonceSequence)
    return timestamp > envelope.expiry ? { kind: 'never', why: 'EXPIRED' } : undefined;
  const events = await rpc.getLogs({
    address: deployment.entryPoint,
    event,
    args: { sender: wallet },
    fromBlock: number < searchBlocks ? 0n : number - searchBlocks + 1n,
    toBlock: number,
    strict: true,
  });
  const use = events.find(({ args }) => args.nonce === BigInt(nonce));
  if (!use) return undefined;
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
