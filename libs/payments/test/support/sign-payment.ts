import { randomBytes } from 'node:crypto';
import { authorizationTypes } from '@x402/evm';
import { toHex, type Address, type Hex, type LocalAccount } from 'viem';
import type { PaymentChain } from '../../src/types.js';
import { price } from './build-payments.js';
import { payTo } from './payment-chain.js';

/** What may be said of a payment; the rest is as it should be. */
export interface PaymentParts {
  /** Another payer than the signer. */
  readonly from?: Address;
  readonly to?: Address;
  readonly value?: bigint;
  readonly validAfter?: bigint;
  readonly validBefore?: bigint;
  readonly nonce?: Hex;
  readonly signature?: Hex;
  /** Of the header, beside the payload. */
  readonly envelope?: Readonly<Record<string, unknown>>;
}

export type SignedPayment = Awaited<ReturnType<typeof signPayment>>;

/** Sign an authorization and write it as both versions of the protocol do. */
export async function signPayment(
  account: LocalAccount,
  { chainId, asset }: Pick<PaymentChain, 'chainId' | 'asset'>,
  parts: PaymentParts = {},
) {
  const authorization = {
    from: parts.from ?? account.address,
    to: parts.to ?? payTo,
    value: parts.value ?? price,
    validAfter: parts.validAfter ?? 0n,
    validBefore: parts.validBefore ?? BigInt(Math.floor(Date.now() / 1000) + 120),
    nonce: parts.nonce ?? toHex(randomBytes(32)),
  };
  const signature =
    parts.signature ??
    (await account.signTypedData({
      domain: { name: asset.name, version: asset.version, chainId, verifyingContract: asset.address },
      types: authorizationTypes,
      primaryType: 'TransferWithAuthorization',
      message: authorization,
    }));
  const payload = {
    signature,
    authorization: {
      ...authorization,
      value: String(authorization.value),
      validAfter: String(authorization.validAfter),
      validBefore: String(authorization.validBefore),
    },
  };
  const accepted = {
    scheme: 'exact',
    network: `eip155:${chainId}`,
    amount: String(price),
    asset: asset.address,
    payTo,
    maxTimeoutSeconds: 120,
    extra: { name: asset.name, version: asset.version },
  };
  return {
    authorization,
    signature,
    v2: encode({ x402Version: 2, accepted, payload, ...parts.envelope }),
    v1: encode({ x402Version: 1, scheme: 'exact', network: 'base', payload, ...parts.envelope }),
  };
}

export function encode(json: unknown): string {
  return Buffer.from(JSON.stringify(json)).toString('base64');
}

export function decode(header: string | null | undefined): Record<string, unknown> {
  return JSON.parse(Buffer.from(header ?? '', 'base64').toString()) as Record<string, unknown>;
}
