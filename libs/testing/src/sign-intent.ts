import { intentTypes, type IntentSigning } from '@yield-vault/protocol';
import type { Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

/** Sign the `signing` block of an envelope with a private key. */
export function signIntent(signing: IntentSigning, privateKey: Hex): Promise<Hex> {
  return privateKeyToAccount(privateKey).signTypedData({
    domain: signing.domain,
    types: intentTypes,
    primaryType: 'Intent',
    message: { ...signing.message, chainId: BigInt(signing.message.chainId) },
  });
}
