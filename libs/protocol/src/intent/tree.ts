import { concat, encodeAbiParameters, keccak256, size, type Address, type Hex } from 'viem';
import { sameHex } from '../hex.js';

/** Contents of a leaf of the intent tree: the operation, its window and the validator module. */
export interface IntentLeaf {
  readonly userOpHash: Hex;
  /** Unix seconds. */
  readonly expiry: number;
  /** Unix seconds. */
  readonly validAfter: number;
  readonly validator: Address;
}

const leafTypes = [{ type: 'bytes32' }, { type: 'uint48' }, { type: 'uint48' }, { type: 'address' }] as const;

/** Hash a leaf twice, as the validator module does. The hash of a single leaf is the root of its tree. */
export function intentLeafHash({ userOpHash, expiry, validAfter, validator }: IntentLeaf): Hex {
  return keccak256(keccak256(encodeAbiParameters(leafTypes, [userOpHash, expiry, validAfter, validator])));
}

/** Tell whether a proof leads from a leaf to the root. A tree of one leaf has the empty proof. */
export function verifyIntentProof(root: Hex, leaf: IntentLeaf, proof: readonly Hex[]): boolean {
  if (proof.some((sibling) => size(sibling) !== 32)) return false;
  return sameHex(proof.reduce(hashPair, intentLeafHash(leaf)), root);
}

/** The smaller hash comes first, so a proof needs no sides. */
const hashPair = (a: Hex, b: Hex): Hex =>
  keccak256(concat([a, b].map((hash) => hash.toLowerCase() as Hex).sort()));
