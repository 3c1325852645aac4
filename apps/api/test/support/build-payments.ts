import { randomBytes } from 'node:crypto';
import {
  createMemoryPaymentLedger,
  createPayments,
  type Facilitator,
  type FreeQuota,
  type PaymentChain,
  type PaymentLedger,
} from '@yield-vault/payments';
import { toHex, type PublicClient } from 'viem';

export const payTo = '0x90F79bf6EB2c4f870365E785982E1f101E93b906';

// A node on which no authorization was ever used.
const rpc = {
  getBlock: () => Promise.resolve({ number: 7n, timestamp: 0n }),
  readContract: () => Promise.resolve(false),
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
const resource = (name: string) => ({
  method: 'POST',
  path: `/v1/yield/${name}`,
  priceUsd: '0.01',
  description: name,
});

/** The engine itself, before a facilitator that finds every payment good; any part of that can be replaced. */
export function buildPayments(
  parts: Partial<Facilitator> = {},
  ledger: PaymentLedger = createMemoryPaymentLedger(),
  freeQuota?: FreeQuota,
) {
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
      ...parts,
    },
    ledger,
    ...(freeQuota && { freeQuota }),
    options: {
      payTo,
      publicUrl: 'https://api.example',
      resources: { discover: resource('discover'), prepare: resource('prepare') },
      allowlist: ['a key of a friend'],
    },
  });
  return { payments, settled };
}

/** A payment of one cent as x402 writes it. Its signature is for the facilitator to judge. */
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
