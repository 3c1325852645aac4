import { randomBytes } from 'node:crypto';
import type { DatabaseHandle } from '@yield-vault/database';
import { openTestDatabase } from '@yield-vault/database/testing';
import {
  createDatabasePaymentLedger,
  createPayments,
  type Facilitator,
  type FreeQuota,
  type PaymentChain,
  type PaymentLedger,
} from '@yield-vault/payments';
import { toHex, type PublicClient } from 'viem';

export const payTo = '0x90F79bf6EB2c4f870365E785982E1f101E93b906';

/** The settings of payments that the server itself reads. */
export const paymentsOn = {
  mode: 'on',
  publicUrl: 'https://api.example',
  prices: { discover: '0.01', prepare: '0.01' },
} as const;

// A node where no authorization was ever used, and where the payer is a wallet that accepts every signature.
const rpc = {
  getBlock: () => Promise.resolve({ number: 7n, timestamp: 0n }),
  readContract: () => Promise.resolve(false),
  call: () => Promise.resolve({ data: toHex(1, { size: 32 }) }),
} as unknown as PublicClient;
const chain: PaymentChain = {
  key: 'base',
  chainId: 8453,
  v1Network: 'base',
  asset: {
    address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    decimals: 6,
    name: 'USD Coin',
    version: '2',
  },
  rpc,
};
const resource = (name: string, method = 'POST') => ({
  method,
  path: `/v1/yield/${name}`,
  priceUsd: '0.01',
  description: name,
});

// All tests of a file share one database; each payment has its own nonce.
let database: Promise<DatabaseHandle> | undefined;
afterAll(async () => (await database)?.close());

export interface PaymentParts {
  readonly facilitator?: Partial<Facilitator>;
  readonly ledger?: Partial<PaymentLedger>;
  readonly freeQuota?: FreeQuota;
}

/** The real engine with a facilitator that accepts every payment. Any part can be replaced. */
export async function buildPayments({ facilitator, ledger, freeQuota }: PaymentParts = {}) {
  database ??= openTestDatabase();
  const stored = createDatabasePaymentLedger(await database, { maxInFlightPerPayer: 1_000 });
  const settled: string[] = [];
  const payments = createPayments({
    chains: [chain],
    facilitator: {
      verify: () => Promise.resolve(undefined),
      settle: ({ authorization }) => {
        settled.push(authorization.nonce);
        return Promise.resolve({ kind: 'settled', transaction: authorization.nonce });
      },
      inspect: () => Promise.resolve({ problems: [], warnings: [] }),
      ...facilitator,
    },
    ledger: { ...stored, ...ledger },
    ...(freeQuota && { freeQuota }),
    options: {
      payTo,
      publicUrl: 'https://api.example',
      resources: {
        discover: resource('discover'),
        prepare: resource('prepare'),
        calls: resource('calls', 'GET'),
      },
      allowlist: ['a key of a friend'],
    },
  });
  return { payments, settled };
}

/** A payment of one cent in x402. Its signature is not valid; the facilitator of these tests accepts it. */
export function buildPaymentHeader(version: 1 | 2 = 2): string {
  const authorization = {
    from: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
    to: payTo,
    value: '10000',
    validAfter: '0',
    validBefore: String(Math.floor(Date.now() / 1000) + 120),
    nonce: toHex(randomBytes(32)),
  };
  const accepted = {
    scheme: 'exact',
    network: 'eip155:8453',
    amount: '10000',
    asset: chain.asset.address,
    payTo,
    maxTimeoutSeconds: 120,
    extra: { name: chain.asset.name, version: chain.asset.version },
  };
  const payload = { signature: `0x${'11'.repeat(65)}`, authorization };
  const envelope = version === 1 ? { scheme: 'exact', network: 'base' } : { accepted };
  return Buffer.from(JSON.stringify({ x402Version: version, ...envelope, payload })).toString('base64');
}
