import { createPrivateKey, randomBytes, type KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';
import type { RemoteFacilitatorOptions } from './create-remote-facilitator.js';

// CDP accepts a token for two minutes. A part of them lies in the past, because clocks differ.
const lifetimeSeconds = 120;
const clockSkewSeconds = 30;

/** Parse the secret of a CDP API key: 64 bytes of Ed25519 in base64, or a PEM for ES256; `undefined` when it is neither. */
export function parseCdpSecret(secret: string): KeyObject | undefined {
  const bytes = Buffer.from(secret, 'base64');
  const [d, x] = [bytes.subarray(0, 32), bytes.subarray(32)].map((half) => half.toString('base64url'));
  try {
    return bytes.length === 64
      ? createPrivateKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', d, x } })
      : createPrivateKey(secret.replaceAll('\\n', '\n'));
  } catch {
    return undefined;
  }
}

type Authorize = NonNullable<RemoteFacilitatorOptions['authorize']>;

/** How a remote facilitator knows us: by nothing, a fixed token, or a key of the Coinbase Developer Platform. */
export interface FacilitatorAccount {
  readonly url: string;
  readonly bearerToken?: string | undefined;
  readonly cdp?: { readonly keyId: string; readonly keySecret: string } | undefined;
}

/**
 * Make the authentication of the calls to a facilitator.
 *
 * @throws {TypeError} when the secret is not a key
 */
export function authorizeFacilitator({ url, bearerToken, cdp }: FacilitatorAccount): Authorize {
  if (cdp) return authorizeCdp(url, cdp);
  const headers: Record<string, string> =
    bearerToken === undefined ? {} : { Authorization: `Bearer ${bearerToken}` };
  return () => headers;
}

/**
 * Make the authentication of each call to the facilitator of the Coinbase Developer Platform: a JWT for one method and path,
 * with a nonce of its own.
 */
function authorizeCdp(url: string, { keyId, keySecret }: NonNullable<FacilitatorAccount['cdp']>): Authorize {
  const key = parseCdpSecret(keySecret);
  if (!key) throw new TypeError('The secret of the CDP API key is not a key');
  const { host, pathname } = new URL(url);
  return async (operation) => {
    const method = operation === 'supported' ? 'GET' : 'POST';
    const notBefore = Math.floor(Date.now() / 1_000) - clockSkewSeconds;
    const token = await new SignJWT({
      uris: [`${method} ${host}${pathname.replace(/\/$/, '')}/${operation}`],
    })
      .setProtectedHeader({
        alg: key.asymmetricKeyType === 'ed25519' ? 'EdDSA' : 'ES256',
        kid: keyId,
        typ: 'JWT',
        nonce: randomBytes(16).toString('hex'),
      })
      .setSubject(keyId)
      .setIssuer('cdp')
      .setIssuedAt(notBefore)
      .setNotBefore(notBefore)
      .setExpirationTime(notBefore + lifetimeSeconds)
      .sign(key);
    return { Authorization: `Bearer ${token}` };
  };
}
