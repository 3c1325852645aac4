import { openDatabase } from '@yield-vault/database';
import {
  createDatabasePaymentLedger,
  createEmbeddedFacilitator,
  createPayments,
} from '@yield-vault/payments';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { createBenchDatabase } from '../discover/bench-database.js';
import { createStockFacilitator } from './create-stock-facilitator.js';
import {
  createSign,
  measureRate,
  measureUnpaid,
  measureVerify,
  soakPayments,
  type Rate,
  type Soak,
  type Times,
} from './measure-payments.js';
import { startPaidChain, type PaidChain } from './start-paid-chain.js';
import { price, priceUsd, startPaidServer } from './start-paid-server.js';

export interface PaymentsOptions {
  /** Requests of each kind to each route. */
  readonly requests: number;
  /** Payments of the soak. */
  readonly payments: number;
}

/** Everything that was measured, in one run on one chain. */
export interface PaymentsRun {
  /** Where the ledger was. */
  readonly database: string;
  readonly unpaid: Times;
  readonly verify: Times;
  readonly rates: readonly Rate[];
  readonly soak: Soak;
}

const concurrencies = [1, 16];

/** Measure what being paid costs, beside the stock middleware with the stock facilitator. */
export async function runPayments(options: PaymentsOptions): Promise<PaymentsRun> {
  const place = await createBenchDatabase();
  const chain = await startPaidChain();
  const database = await openDatabase(place.where);
  try {
    const ledger = createDatabasePaymentLedger(database, { maxInFlightPerPayer: 64 });
    return { database: place.name, ...(await measure(chain, ledger, options)) };
  } finally {
    await chain.stop();
    await database.close();
    await place.drop();
  }
}

async function measure(
  paid: PaidChain,
  ledger: ReturnType<typeof createDatabasePaymentLedger>,
  { requests, payments: count }: PaymentsOptions,
): Promise<Omit<PaymentsRun, 'database'>> {
  const [payer, payee, relayer] = [newAccount(), newAccount(), newAccount()];
  const stockKey = generatePrivateKey();
  const payTo = payee.address;
  for (const { address } of [relayer, privateKeyToAccount(stockKey)]) await paid.giveEth(address);
  await paid.giveUsdc(payer.address, 10n ** 12n);
  const chains = [paid.chain];
  const facilitator = createEmbeddedFacilitator({ account: relayer, chains });
  const resource = { method: 'POST', path: '/ours', priceUsd, description: 'A list' } as const;
  const payments = createPayments({
    ...{ chains, facilitator, ledger },
    options: { payTo, publicUrl: 'https://api.example.com', resources: { ours: resource } },
  });
  const server = await startPaidServer(payments, createStockFacilitator(paid.rpcUrl, stockKey), payTo);
  try {
    const sign = await createSign(server, payer);
    const unpaid = await measureUnpaid(server, requests);
    const verify = await measureVerify(server, sign, requests);
    const rates: Rate[] = [];
    for (const concurrency of concurrencies)
      rates.push(await measureRate(server, sign, requests, concurrency));
    const before = await paid.usdcOf(payTo);
    const soaked = await soakPayments(server, sign, count);
    return { unpaid, verify, rates, soak: { ...soaked, received: (await paid.usdcOf(payTo)) - before } };
  } finally {
    await server.stop();
  }
}

/** Whether the payee has exactly what was sold. */
export const isExact = ({ answered, received }: Soak): boolean => received === BigInt(answered) * price;

const newAccount = () => privateKeyToAccount(generatePrivateKey());
