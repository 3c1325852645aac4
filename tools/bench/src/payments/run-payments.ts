import { openDatabase } from '@yield-vault/database';
import {
  createDatabasePaymentLedger,
  createEmbeddedFacilitator,
  createPayments,
  type PaymentLedger,
} from '@yield-vault/payments';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { createBenchDatabase } from '../discover/bench-database.js';
import {
  createSign,
  measureUnpaid,
  measureVerify,
  soakPayments,
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

/** All measurements of one run on one chain. */
export interface PaymentsRun {
  /** Database of the ledger. */
  readonly database: string;
  readonly unpaid: Times;
  readonly verify: Times;
  readonly soak: Soak;
}

/** Measure the cost of payments, with the embedded facilitator on a local chain. */
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
  ledger: PaymentLedger,
  { requests, payments: count }: PaymentsOptions,
): Promise<Omit<PaymentsRun, 'database'>> {
  const [payer, payee, relayer] = [newAccount(), newAccount(), newAccount()];
  const payTo = payee.address;
  await paid.giveEth(relayer.address);
  await paid.giveUsdc(payer.address, 10n ** 12n);
  const chains = [paid.chain];
  const payments = createPayments({
    chains,
    ledger,
    facilitator: createEmbeddedFacilitator({ account: relayer, chains }),
    options: {
      payTo,
      publicUrl: 'https://api.example.com',
      resources: { paid: { method: 'POST', path: '/paid', priceUsd, description: 'A list' } },
    },
  });
  const server = await startPaidServer(payments);
  try {
    const sign = await createSign(server, payer);
    const unpaid = await measureUnpaid(server, requests);
    const verify = await measureVerify(server, sign, requests);
    const before = await paid.usdcOf(payTo);
    const soaked = await soakPayments(server, sign, count);
    return { unpaid, verify, soak: { ...soaked, received: (await paid.usdcOf(payTo)) - before } };
  } finally {
    await server.stop();
  }
}

/** Whether the payee received exactly the price of each payment. */
export const isExact = ({ settled, received }: Soak): boolean => received === BigInt(settled) * price;

const newAccount = () => privateKeyToAccount(generatePrivateKey());
