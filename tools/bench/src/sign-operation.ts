import { localContracts } from '@yield-vault/contracts';
import { intentDigest, intentLeafHash, userOperationHash, type UserOperation } from '@yield-vault/protocol';
import { encodeIntentSignature } from '@yield-vault/smart-account';
import type { Address, Hex, PrivateKeyAccount } from 'viem';

/** When an intent may run. */
export interface IntentWindow {
  /** Unix seconds. */
  readonly expiry: number;
  /** Unix seconds. */
  readonly validAfter: number;
}

/** An operation with its signature, and what identifies it. */
export interface SignedOperation {
  readonly operation: UserOperation;
  readonly userOpHash: Hex;
}

/** Sign a user operation as an intent of its own. */
export async function signOperation(
  account: PrivateKeyAccount,
  unsigned: UserOperation,
  window: IntentWindow,
  { entryPoint, chainId }: { readonly entryPoint: Address; readonly chainId: number },
): Promise<SignedOperation> {
  const { validator } = localContracts;
  const userOpHash = userOperationHash(unsigned, entryPoint, chainId);
  const root = intentLeafHash({ userOpHash, ...window, validator });
  const hash = intentDigest({ merkleRoot: root, chainId, ...window, validator });
  const signature = encodeIntentSignature({ ...window, signature: await account.sign({ hash }), proof: [] });
  return { operation: { ...unsigned, signature }, userOpHash };
}
