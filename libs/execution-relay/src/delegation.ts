import { isLowS, sameHex, type UserOperation } from '@yield-vault/protocol';
import { parseDelegation } from '@yield-vault/smart-account';
import { recoverAuthorizationAddress } from 'viem/utils';
import { fromNode } from './chain/inclusion.js';
import { invalid } from './errors.js';
import type { VerifiedIntent } from './types.js';

/**
 * Choose how to send an operation that delegates its sender: with its authorization, or without it where the sender
 * delegates already, because anybody may include an authorization. Both have the same hash.
 *
 * @throws {TransactionValidationError} with reason UNSUPPORTED_ENVELOPE when the authorization would not delegate;
 *   `details` has the field, the expected and the given value
 */
export async function withDelegation({ chain, operation }: VerifiedIntent): Promise<UserOperation> {
  if (operation.factory === undefined) return operation;
  const { authorization, ...bare } = operation;
  const { sender: address } = operation;
  const [code, nonce] = await fromNode(
    chain,
    Promise.all([chain.rpc.getCode({ address }), chain.rpc.getTransactionCount({ address })]),
  );
  const { account } = chain.contracts;
  const delegate = code && parseDelegation(code);
  if (delegate && sameHex(delegate, account)) return bare;
  if (!authorization)
    throw invalid('UNSUPPORTED_ENVELOPE', 'eip7702Auth is missing, and the wallet does not delegate.', {
      field: 'eip7702Auth',
    });

  const signer = isLowS(authorization.s)
    ? await recoverAuthorizationAddress({ authorization }).catch(() => undefined)
    : undefined;
  const compared = {
    address: [account, authorization.address],
    chainId: [chain.chainId, authorization.chainId],
    nonce: [nonce, authorization.nonce],
    signer: [address, signer ?? null],
  } as const;
  for (const [name, [expected, given]] of Object.entries(compared)) {
    if (String(expected).toLowerCase() === String(given).toLowerCase()) continue;
    const field = `eip7702Auth.${name}`;
    throw invalid('UNSUPPORTED_ENVELOPE', `${field} is ${given}, not ${expected}.`, {
      field,
      expected,
      given,
    });
  }
  return operation;
}
