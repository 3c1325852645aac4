import { authorizationTypes } from '@x402/evm';
import { sameHex } from '@yield-vault/protocol';
import {
  encodeDeployData,
  erc6492SignatureValidatorAbi,
  erc6492SignatureValidatorByteCode,
  hashTypedData,
  hexToBool,
  recoverAddress,
  type Hex,
} from 'viem';
import { asOutage } from './adapters/guard-signer.js';
import { unavailable } from './errors.js';
import type { Payment } from './types.js';

// USDC rejects malleable signatures: s must be in the lower half, and v must be 27 or 28.
const plainSignature = /^0x[0-9a-f]{64}([0-9a-f]{64})1[bc]$/;
const highestS = '7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0';
// Gas for the wallet's own check, including its deployment (ERC-6492).
const maxGas = 3_000_000n;

/**
 * Check that the key of the payer's address signed the payment, as the token checks it for an account without code.
 * Sends no request.
 */
export async function isSignedByKey(payment: Payment): Promise<boolean> {
  const { authorization, signature } = payment;
  const s = plainSignature.exec(signature)?.[1];
  if (s === undefined || s > highestS) return false;
  const signer = await recoverAddress({ hash: hashOf(payment), signature }).catch(() => undefined);
  return signer !== undefined && sameHex(signer, authorization.from);
}

/**
 * Check that the contract wallet of the payer accepts the signature (ERC-1271), also before its deployment (ERC-6492).
 *
 * @throws {UpstreamUnavailableError} when the node does not respond
 */
export async function isAcceptedByWallet(payment: Payment): Promise<boolean> {
  const { rpc, key } = payment.terms.chain;
  const data = encodeDeployData({
    abi: erc6492SignatureValidatorAbi,
    bytecode: erc6492SignatureValidatorByteCode,
    args: [payment.authorization.from, hashOf(payment), payment.signature],
  });
  try {
    const { data: isValid = '0x' } = await rpc.call({ data, gas: maxGas });
    return hexToBool(isValid);
  } catch (error) {
    const outage = asOutage(error, `rpc:${key}`);
    if (outage) throw outage;
    return false;
  }
}

/**
 * Limit concurrent checks of unverified payments, in total and per payer or client.
 *
 * @param max - checks at a time in this process
 * @param maxPerHolder - checks at a time of one payer or one client
 * @returns a function that runs a check for its holders, and throws `UpstreamUnavailableError` above a limit
 */
export function limitChecks(max = 16, maxPerHolder = 4) {
  const running = new Set<readonly string[]>();
  return async (holders: readonly string[], check: () => Promise<boolean>): Promise<boolean> => {
    const isBusy = (holder: string) =>
      [...running].filter((others) => others.includes(holder)).length >= maxPerHolder;
    if (running.size >= max || holders.some(isBusy))
      throw unavailable(
        'payments',
        `${running.size} unverified payments are being checked. At most ${max} can be, ${maxPerHolder} of one payer or client`,
      );
    const entry = [...holders];
    running.add(entry);
    try {
      return await check();
    } finally {
      running.delete(entry);
    }
  };
}

function hashOf({ terms: { chain }, authorization }: Payment): Hex {
  const { chainId, asset } = chain;
  return hashTypedData({
    domain: { name: asset.name, version: asset.version, chainId, verifyingContract: asset.address },
    types: authorizationTypes,
    primaryType: 'TransferWithAuthorization',
    message: authorization,
  });
}
