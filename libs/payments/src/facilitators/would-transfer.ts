import { encodeFunctionData, parseAbi, parseSignature, size, type Hex } from 'viem';
import type { Payment } from '../types.js';
import { asOutage } from './as-outage.js';
import { maxGas } from './create-gas-account.js';

const byParts = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
]);
const byBytes = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
]);
const ecdsaBytes = 65;

/**
 * Ask the token whether it would carry a payment out now: signature, whoever checks it, nonce, time and balance in one
 * question.
 *
 * @throws {UpstreamUnavailableError} when the node does not answer
 */
export async function wouldTransfer(payment: Payment): Promise<boolean> {
  const { rpc, asset, key } = payment.terms.chain;
  try {
    await rpc.call({ to: asset.address, data: encodeTransfer(payment), gas: maxGas });
    return true;
  } catch (error) {
    const outage = asOutage(error, `rpc:${key}`);
    if (outage) throw outage;
    return false;
  }
}

/** The same call that the scheme class sends. */
function encodeTransfer({ authorization, signature }: Payment): Hex {
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  const args = [from, to, value, validAfter, validBefore, nonce] as const;
  const functionName = 'transferWithAuthorization';
  if (size(signature) !== ecdsaBytes)
    return encodeFunctionData({ abi: byBytes, functionName, args: [...args, signature] });
  const { r, s, v, yParity } = parseSignature(signature);
  return encodeFunctionData({ abi: byParts, functionName, args: [...args, Number(v ?? yParity), r, s] });
}
