import { authorizationTypes, type FacilitatorEvmSigner } from '@x402/evm';
import { hashTypedData, parseAbi } from 'viem';
import type { Payment } from '../types.js';

const erc1271Abi = parseAbi([
  'function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)',
]);
const magicValue = '0x1626ba7e';

/**
 * Ask a wallet with code whether the signature is its own, as the scheme class does before it settles. One without code
 * gives no answer.
 */
export async function isSignedByWallet(
  { terms: { chain }, authorization, signature }: Payment,
  signer: Pick<FacilitatorEvmSigner, 'readContract'>,
): Promise<boolean> {
  const { address: verifyingContract, name, version } = chain.asset;
  const hash = hashTypedData({
    domain: { name, version, chainId: chain.chainId, verifyingContract },
    types: authorizationTypes,
    primaryType: 'TransferWithAuthorization',
    message: authorization,
  });
  const answer = await signer
    .readContract({
      address: authorization.from,
      abi: erc1271Abi,
      functionName: 'isValidSignature',
      args: [hash, signature],
    })
    .catch(() => undefined);
  return answer === magicValue;
}
