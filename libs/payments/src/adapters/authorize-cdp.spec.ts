import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer } from 'node:http';
import { listen } from '@yield-vault/testing';
import { jwtVerify } from 'jose';
import { buildPayment } from '../../test/support/build-payment.js';
import { buildResource } from '../../test/support/build-resource.js';
import { authorizeFacilitator, parseCdpSecret } from './authorize-cdp.js';
import { createRemoteFacilitator } from './create-remote-facilitator.js';

const keyId = 'organizations/1/apiKeys/2';
const basePath = '/platform/v2/x402';
const hash = `0x${'ab'.repeat(32)}`;

const ed25519 = generateKeyPairSync('ed25519');
const { d, x } = ed25519.privateKey.export({ format: 'jwk' });
const bytes = Buffer.concat([d!, x!].map((half) => Buffer.from(half, 'base64url')));
const es256 = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pem = es256.privateKey.export({ format: 'pem', type: 'sec1' }).toString();

/** The checks of CDP, by the source of its SDK and its documentation: anything else is 401. */
async function startCdp(publicKey: KeyObject) {
  const nonces = new Set<unknown>();
  const seen: string[] = [];
  const clock = { aheadSeconds: 0 };
  const check = async (method = '', host = '', path = '', authorization = '') => {
    const currentDate = new Date(Date.now() + clock.aheadSeconds * 1_000);
    const token = authorization.replace(/^Bearer /, '');
    const { payload, protectedHeader } = await jwtVerify(token, publicKey, { currentDate, issuer: 'cdp' });
    const { nonce, kid } = protectedHeader as { nonce?: string; kid?: string };
    const lifetime = payload.exp! - payload.nbf!;
    const uris = JSON.stringify(payload['uris']);
    if (uris !== JSON.stringify([`${method} ${host}${path}`])) throw new Error(uris);
    if (kid !== keyId || payload.sub !== keyId || lifetime > 120) throw new Error('claims');
    if (!/^[0-9a-f]{32}$/.test(nonce ?? '') || nonces.has(nonce)) throw new Error('nonce');
    nonces.add(nonce);
  };
  const network = 'eip155:8453';
  const kinds = [{ x402Version: 2, scheme: 'exact', network }];
  const bodyOf = (path: string) =>
    path.endsWith('/supported')
      ? { kinds, extensions: [], signers: {} }
      : { isValid: true, success: true, transaction: hash, network };
  const server = createServer(({ method, headers, url: path = '' }, response) => {
    check(method, headers.host, path, headers.authorization).then(
      () => {
        seen.push(path);
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(bodyOf(path)));
      },
      () => response.writeHead(401).end('{"errorType":"unauthorized"}'),
    );
  });
  const { port, stop } = await listen(server);
  return { url: `http://127.0.0.1:${port}${basePath}`, seen, clock, stop };
}

describe.each([
  ['Ed25519', bytes.toString('base64'), ed25519.publicKey],
  ['ES256', pem, es256.publicKey],
  ['ES256 on one line', pem.replaceAll('\n', '\\n'), es256.publicKey],
])('authorizeFacilitator with a key of %s', (_, keySecret, publicKey) => {
  let cdp: Awaited<ReturnType<typeof startCdp>>;
  beforeEach(async () => {
    cdp = await startCdp(publicKey);
  });
  afterEach(() => cdp.stop());
  const connect = (secret = keySecret) =>
    createRemoteFacilitator({
      url: cdp.url,
      authorize: authorizeFacilitator({ url: cdp.url, cdp: { keyId, keySecret: secret } }),
    });
  const inspect = (secret?: string) => connect(secret).inspect(buildResource().terms.slice(0, 1));

  it('default: each call has a token of its own', async () => {
    const facilitator = connect();
    const payment = await buildPayment();
    for (const _ of [1, 2]) expect(await facilitator.verify(payment)).toBeUndefined();
    expect(await facilitator.settle(payment)).toEqual({ kind: 'settled', transaction: hash });
    expect(await inspect()).toEqual({ problems: [], warnings: [] });
    const operations = ['verify', 'verify', 'settle', 'supported'];
    expect(cdp.seen).toEqual(operations.map((operation) => `${basePath}/${operation}`));
  });

  it('behavior: clocks may differ by 25 s, and not by two minutes', async () => {
    for (cdp.clock.aheadSeconds of [-25, 25]) expect((await inspect()).warnings).toEqual([]);
    for (cdp.clock.aheadSeconds of [-120, 120]) expect((await inspect()).warnings).toHaveLength(1);
  });

  it('error: the key of somebody else says nothing about a payment', async () => {
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    const secret = other.export({ format: 'pem', type: 'pkcs8' }).toString();
    await expect(connect(secret).verify(await buildPayment())).rejects.toMatchObject({
      code: 'UPSTREAM_UNAVAILABLE',
      details: { dependency: 'facilitator' },
    });
    expect((await inspect(secret)).warnings).toEqual(['the facilitator refuses our credentials']);
  });
});

it.each(['', 'no key', bytes.subarray(1).toString('base64')])(
  'error: parseCdpSecret finds no key in "%s"',
  (secret) => {
    expect(parseCdpSecret(secret)).toBeUndefined();
    expect(() =>
      authorizeFacilitator({ url: 'https://cdp.example', cdp: { keyId, keySecret: secret } }),
    ).toThrow(TypeError);
  },
);
