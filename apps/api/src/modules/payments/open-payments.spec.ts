import { generateKeyPairSync } from 'node:crypto';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import {
  createActiveChains,
  UpstreamFailure,
  type ActiveChain,
  type ActiveChains,
} from '@yield-vault/chains';
import type { Deployment } from '@yield-vault/deployment';
import type { DatabaseHandle } from '@yield-vault/database';
import { openTestDatabase } from '@yield-vault/database/testing';
import type { Payments } from '@yield-vault/payments';
import { ConfigError } from '@yield-vault/protocol';
import { testAccount, testKey } from '@yield-vault/testing';
import type { Logger } from 'pino';
import { domainSeparator, toHex } from 'viem';
import { buildPaymentHeader, payTo } from '../../../test/support/build-payments.js';
import { loadConfig } from '@yield-vault/deployment';
import { openPayments } from './open-payments.js';

type Settings = Extract<Deployment['payments'], { mode: 'on' }>;

const configFile = (name: string) => resolve(__dirname, `../../../../../config/${name}.yaml`);
const nowhere = 'http://127.0.0.1:1';
const facilitatorKey = testKey('facilitator');
const chainVariables = {
  BASE_RPC_URL: nowhere,
  BASE_BUNDLER_URL: nowhere,
  ETHEREUM_RPC_URL: nowhere,
  ETHEREUM_BUNDLER_URL: nowhere,
};
const { deployment } = loadConfig({
  YIELD_VAULT_CONFIG: configFile('local'),
  PAYMENTS: 'on',
  FACILITATOR_PRIVATE_KEY: facilitatorKey,
  ...chainVariables,
});
const settings = deployment.payments as Settings;
const [base, ethereum] = createActiveChains(deployment).all as [ActiveChain, ActiveChain];

/** Responses of a node about the token and the facilitator's account. */
interface Node {
  readonly decimals?: number;
  readonly name?: string;
  readonly isDown?: boolean;
}

function withNode(chain: ActiveChain, node: Node = {}): ActiveChain {
  const { decimals = 6, name = 'USD Coin', isDown = false } = node;
  const say = <T>(value: T): Promise<T> =>
    isDown ? Promise.reject(new UpstreamFailure(`rpc:${chain.key}`, 'timed out')) : Promise.resolve(value);
  const domain = { name, version: '2', chainId: chain.chainId, verifyingContract: chain.usdc };
  const views: Readonly<Record<string, () => Promise<unknown>>> = {
    decimals: () => say(decimals),
    DOMAIN_SEPARATOR: () => say(domainSeparator({ domain })),
    authorizationState: () => say(false),
  };
  const rpc = {
    getChainId: () => say(chain.chainId),
    getBalance: () => say(1n),
    // The payer is a wallet that accepts every signature.
    call: () => say({ data: toHex(1, { size: 32 }) }),
    readContract: ({ functionName }: { readonly functionName: string }) => views[functionName]?.(),
  };
  return { ...chain, rpc: rpc as unknown as ActiveChain['rpc'] };
}

const describe402 = () => () => ({ extensions: { bazaar: {} }, outputSchema: {} });

/** An object that throws on every use. */
const untouched = <T>(what: string): T =>
  new Proxy({} as T & object, {
    get: (_, name) => {
      throw new Error(`the ${what} was asked for ${String(name)}`);
    },
  });

async function open(
  changes: Partial<Settings> = {},
  chains: readonly ActiveChain[] = [withNode(base)],
  { database = unread, server = deployment.server } = {},
) {
  const warnings: unknown[] = [];
  const logger = {
    warn: ({ warning }: { readonly warning: unknown }) => warnings.push(warning),
  } as unknown as Logger;
  const wallets = {
    keys: chains.map(({ key }) => key),
    all: chains,
  } as Partial<ActiveChains> as ActiveChains;
  const payments = await openPayments(
    { payments: { ...settings, ...changes }, server },
    wallets,
    database,
    logger,
    describe402,
  );
  return { payments, warnings };
}

// Nothing is read before the first payment.
const unread = { db: untouched('database') } as unknown as DatabaseHandle;

const networksOf = (payments: Payments | undefined) =>
  payments?.describePrices().items[0]?.accepts.map(({ network }) => network);

async function problemsOf(...parts: Parameters<typeof open>): Promise<readonly string[]> {
  const error: unknown = await open(...parts).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ConfigError);
  return (error as ConfigError).problems;
}

let server: Server | undefined;
afterEach(() => server?.close());

/** A facilitator that others run. */
async function facilitatorThat(responses: RequestListener): Promise<Settings['facilitator']> {
  server = createServer(responses).listen(0, '127.0.0.1');
  await new Promise((listening) => server?.once('listening', listening));
  const { port } = server.address() as AddressInfo;
  return { kind: 'remote', url: `http://127.0.0.1:${port}`, bearerToken: 'of the facilitator' };
}
const settlesOn =
  (...networks: readonly string[]): RequestListener =>
  (request, response) => {
    if (request.url === '/verify') return void response.end(JSON.stringify({ isValid: true }));
    if (request.headers.authorization !== 'Bearer of the facilitator')
      return void response.writeHead(401).end();
    const kinds = networks.map((network) => ({ x402Version: 2, scheme: 'exact', network }));
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ kinds, extensions: [], signers: {} }));
  };

describe('openPayments', () => {
  it('default: discover and prepare are sold on every chain that wallets act on', async () => {
    const { payments, warnings } = await open({}, [withNode(base), withNode(ethereum)]);
    expect(warnings).toEqual([]);
    const prices = payments?.describePrices();
    expect(prices?.resources).toEqual([
      `${settings.publicUrl}/v1/yield/discover`,
      `${settings.publicUrl}/v1/yield/prepare`,
      `${settings.publicUrl}/v1/yield/gasless-setup`,
      `${settings.publicUrl}/v1/yield/calls`,
    ]);
    expect(prices?.items.map(({ extensions }) => extensions)).toEqual(Array(4).fill({ bazaar: {} }));
    expect(networksOf(payments)).toEqual(['eip155:8453', 'eip155:1']);
  });

  it('behavior: payments that are off open nothing', async () => {
    const off = { payments: { mode: 'off' }, server: deployment.server } as const;
    expect(
      await openPayments(off, untouched('chains'), untouched('database'), untouched('log'), describe402),
    ).toBeUndefined();
  });

  it('behavior: only the chains that are named are sold on', async () => {
    // The other one would be a problem.
    const others = withNode(ethereum, { decimals: 18 });
    const { payments } = await open({ chains: ['base'] }, [withNode(base), others]);
    expect(networksOf(payments)).toEqual(['eip155:8453']);
  });

  it('behavior: a facilitator that others run gets its token', async () => {
    const facilitator = await facilitatorThat(settlesOn('eip155:8453'));
    expect((await open({ facilitator })).warnings).toEqual([]);
  });

  it('behavior: the facilitator of CDP gets a token that a key signed', async () => {
    let bearer = '';
    const remote = await facilitatorThat((request, response) => {
      bearer = request.headers.authorization ?? '';
      response.writeHead(401).end();
    });
    const keySecret = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
      format: 'pem',
      type: 'sec1',
    });
    const facilitator = { ...remote, bearerToken: undefined, cdp: { keyId: 'our key', keySecret } };
    const { warnings } = await open({ facilitator } as Partial<Settings>);
    expect(warnings).toEqual(['the facilitator refuses our credentials']);
    const [header = ''] = bearer.replace('Bearer ', '').split('.');
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toMatchObject({ kid: 'our key' });
  });

  it('behavior: a payment stays reserved for longer than its request may take', async () => {
    const database = await openTestDatabase();
    try {
      const facilitator = await facilitatorThat(settlesOn('eip155:8453'));
      const server = { ...deployment.server, requestTimeoutSeconds: 300 };
      const { payments } = await open({ facilitator, payTo }, undefined, { database, server });
      const header = buildPaymentHeader();
      const result = await payments?.begin({
        resource: 'prepare',
        method: 'POST',
        path: '/v1/yield/prepare',
        body: Buffer.from('{}'),
        requestId: '1',
        header: (name: string) => (name === 'PAYMENT-SIGNATURE' ? header : undefined),
      });
      expect(result?.kind).toBe('reserved');
      const { lease_until, updated_at } = await database.db
        .selectFrom('payment')
        .select(['lease_until', 'updated_at'])
        .executeTakeFirstOrThrow();
      expect(Number(lease_until) - Number(updated_at)).toBeGreaterThan(300_000);
    } finally {
      await database.close();
    }
  });

  it.each<[string, Record<string, string>, string]>([
    ['nobody who is paid', { PAYMENTS_PAY_TO: '' }, 'payments.payTo'],
    ['no address of its own', { PUBLIC_URL: '' }, 'payments.publicUrl'],
    ['no facilitator', { FACILITATOR_URL: '' }, 'payments.facilitator'],
    ['half a CDP key', { CDP_API_KEY_ID: 'id' }, 'CDP_API_KEY_SECRET'],
    ['a CDP key that is none', { CDP_API_KEY_ID: 'id', CDP_API_KEY_SECRET: 'x' }, 'base64 (Ed25519)'],
  ])('error: %s is a problem of the configuration', (_, missing, path) => {
    const complete = {
      YIELD_VAULT_CONFIG: configFile('production'),
      ...chainVariables,
      BASE_LOGS_FROM_BLOCK: '1',
      ETHEREUM_LOGS_FROM_BLOCK: '1',
      DATABASE_URL: 'postgres://127.0.0.1/none',
      PAYMASTER_OWNER: testAccount('owner').address,
      PAYMENTS: 'on',
      PAYMENTS_PAY_TO: settings.payTo,
      PUBLIC_URL: settings.publicUrl,
      FACILITATOR_URL: 'https://facilitator.example',
    };
    expect(loadConfig(complete).deployment.payments.mode).toBe('on');
    const start = () => loadConfig({ ...complete, ...missing });
    expect(start).toThrow(ConfigError);
    expect(start).toThrow(path);
  });

  it.each<[string, Partial<Settings>, string]>([
    [
      'a price is finer than the token',
      { prices: { discover: '0.0000001' } },
      'the price of discover must be above zero with at most 6 decimals on base',
    ],
    ['no payment could be made in time', { maxTimeoutSeconds: 1 }, 'maxTimeoutSeconds must be above 10'],
  ])('error: ConfigError when %s', async (_, changes, problem) => {
    expect(await problemsOf(changes)).toEqual([problem]);
  });

  it('error: ConfigError when the facilitator does not settle on the chain', async () => {
    const facilitator = await facilitatorThat(settlesOn('eip155:1'));
    expect(await problemsOf({ facilitator })).toEqual(['the facilitator does not settle on base']);
  });

  it('error: ConfigError names every problem at once', async () => {
    const chains = [withNode(base, { decimals: 18 }), withNode(ethereum, { name: 'USDC' })];
    expect(await problemsOf({ payTo: testAccount('facilitator').address }, chains)).toEqual([
      'payTo must differ from the account that pays the gas of the facilitator',
      'the token on base has 18 decimals, not 6',
      'the token on ethereum has another EIP-712 domain than "USD Coin" version 2',
    ]);
  });

  it.each<[string, Partial<Settings>, Node, readonly string[]]>([
    ['the node is down', {}, { isDown: true }, ['the RPC of base does not respond']],
    [
      'the facilitator of others is down',
      { facilitator: { kind: 'remote', url: nowhere } },
      {},
      ['the facilitator does not respond'],
    ],
  ])('behavior: it starts with a warning while %s', async (_, changes, node, expected) => {
    const { payments, warnings } = await open(changes, [withNode(base, node)]);
    expect(payments).toBeDefined();
    expect(warnings).toEqual(expected);
  });
});
