import { StandardMerkleTree } from '@openzeppelin/merkle-tree';
import { encodeAbiParameters, keccak256, type Address, type Hex } from 'viem';

/** Contents of a leaf of the intent tree: the operation, its window and the validator module. */
export interface IntentLeaf {
  readonly userOpHash: Hex;
  /** Unix seconds. */
  readonly expiry: number;
  /** Unix seconds. */
  readonly validAfter: number;
  readonly validator: Address;
}

const leafTypes = ['bytes32', 'uint48', 'uint48', 'address'] as const;

const values = (leaf: IntentLeaf): [Hex, number, number, Address] => [
  leaf.userOpHash,
  leaf.expiry,
  leaf.validAfter,
  leaf.validator,
];

/** Hash a leaf twice, as the validator module does. */
export function intentLeafHash(leaf: IntentLeaf): Hex {
  const encoded = encodeAbiParameters(
    leafTypes.map((type) => ({ type })),
    values(leaf),
  );
  return keccak256(keccak256(encoded));
}

/** Build the tree over some leaves: its root, and a proof for each leaf in the order given. */
export function buildIntentTree(leaves: readonly IntentLeaf[]): { root: Hex; proofs: Hex[][] } {
  const tree = StandardMerkleTree.of(leaves.map(values), [...leafTypes]);
  return {
    root: tree.root as Hex,
    proofs: leaves.map((leaf) => tree.getProof(values(leaf)) as Hex[]),
  };
}

/** Tell whether a proof leads from a leaf to the root. A tree of one leaf has the empty proof. */
export function verifyIntentProof(root: Hex, leaf: IntentLeaf, proof: readonly Hex[]): boolean {
  return StandardMerkleTree.verify(root, [...leafTypes], values(leaf), [...proof]);
}
