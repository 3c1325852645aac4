import { readFromNode } from '@yield-vault/chains';
import { sameHex, type UserOperation } from '@yield-vault/protocol';
import { describeFault, findAuthorizationFault, parseDelegation } from '@yield-vault/smart-account';
import { invalid } from '../errors.js';
import type { VerifiedIntent } from '../types.js';

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
  const [code, nonce] = await readFromNode(
    chain,
    Promise.all([chain.rpc.getCode({ address }), chain.rpc.getTransactionCount({ address })]),
  );
  const { account } = chain.contracts;
  const delegate = code && parseDelegation(code);
  if (delegate && sameHex(delegate, account)) return bare;
  const expected = { wallet: address, implementation: account, chainId: chain.chainId, nonce };
  const fault = authorization
    ? await findAuthorizationFault(authorization, expected)
    : { field: 'eip7702Auth', expected: 'an authorization', given: 'none' };
  if (!fault) return operation;
  const field = authorization ? `eip7702Auth.${fault.field}` : fault.field;
  const details = { ...fault, field };
  throw invalid('UNSUPPORTED_ENVELOPE', describeFault('The wallet would not delegate', details), details);
}
