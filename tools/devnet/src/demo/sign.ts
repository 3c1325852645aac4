import type { IntentSigning, SetupBlock } from '@yield-vault/protocol';
import type { Hex, PrivateKeyAccount } from 'viem';

/**
 * Sign the setup transaction of a wallet: to itself, with the authorization that delegates it when the setup block
 * has one.
 *
 * @param nonce The wallet's next nonce; the authorization takes the one after.
 * @returns The raw transaction.
 */
export async function signSetup(
  wallet: PrivateKeyAccount,
  setup: SetupBlock,
  chainId: number,
  nonce: number,
): Promise<Hex> {
  const transaction = {
    chainId,
    nonce,
    to: setup.to,
    data: setup.initCalldata,
    gas: BigInt(setup.gas.gasLimit),
    maxFeePerGas: BigInt(setup.gas.maxFeePerGas),
    maxPriorityFeePerGas: BigInt(setup.gas.maxPriorityFeePerGas),
  };
  if (!setup.authorization) return wallet.signTransaction({ ...transaction, type: 'eip1559' });
  const authorization = await wallet.signAuthorization({ ...setup.authorization, nonce: nonce + 1 });
  return wallet.signTransaction({ ...transaction, type: 'eip7702', authorizationList: [authorization] });
}

/** Sign the EIP-712 payload of an intent. */
export function signIntent(wallet: PrivateKeyAccount, signing: IntentSigning): Promise<Hex> {
  const { domain, types, primaryType, message } = signing;
  return wallet.signTypedData({ domain, types, primaryType, message });
}
