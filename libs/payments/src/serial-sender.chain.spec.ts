import { testAccount } from '@yield-vault/testing';
import { buildPayments, price } from '../test/support/build-payments.js';
import { response } from '../test/support/build-request.js';
import { openLedgers } from '../test/support/open-ledgers.js';
import { expectAnswered, expectUnavailable, reserve } from '../test/support/reserve.js';
import { payTo, relayer } from '../test/support/payment-chain.js';
import { startPaymentChain, type StartedPaymentChain } from '../test/support/start-payment-chain.js';
import { withRpc } from '../test/support/with-rpc.js';
import { createEmbeddedFacilitator } from './adapters/create-embedded-facilitator.js';
import type { Payments } from './payments.js';
import type { PaidRequest } from './types.js';

const ledgers = openLedgers();
let base: StartedPaymentChain;

beforeEach(async () => {
  base = await startPaymentChain();
  await base.setUsdc(payTo, 1n);
  await base.node.setAutomine(false);
});
afterEach(() => base.stop());

function start(chain = base.chain): Payments {
  const facilitator = createEmbeddedFacilitator({
    account: relayer,
    chains: [chain],
    confirmationTimeoutMs: 500,
  });
  return buildPayments({ chains: [chain], facilitator, ledger: ledgers.connect() });
}

const payFrom = (name: string) => base.payFrom(testAccount(name));

const settle = async (payments: Payments, request: PaidRequest) =>
  payments.settle(await reserve(payments, request), response);
async function pendingTransfers() {
  const { pending } = await base.node.getTxpoolContent();
  const own = Object.entries(pending).find(([from]) => from.toLowerCase() === relayer.address.toLowerCase());
  return Object.values(own?.[1] ?? {});
}

const sent = () => base.node.getTransactionCount({ address: relayer.address });
const paid = async () => (await base.usdcOf(payTo)) - 1n;

it('default: fees leave room for a base fee twice as high', async () => {
  const { baseFeePerGas } = await base.node.getBlock();
  const tip = await base.chain.rpc.estimateMaxPriorityFeePerGas();
  await expectUnavailable(settle(start(), await payFrom('payer')));
  const [transfer] = await pendingTransfers();
  expect(BigInt(transfer?.maxFeePerGas ?? 0)).toBe(2n * (baseFeePerGas ?? 0n) + tip);
});

it('error: transfers that are not mined are unavailable, and settled once when blocks continue', async () => {
  const payments = start();
  const requests = [await payFrom('first payer'), await payFrom('second payer')] as const;
  for (const request of requests) await expectUnavailable(settle(payments, request));
  // A repeated request waits for its transfer and sends no other one.
  for (const request of requests) await expectUnavailable(payments.begin(request));
  expect(await pendingTransfers()).toHaveLength(2);
  await base.node.mine({ blocks: 1 });
  for (const request of requests) await expectAnswered(payments, request);
  expect(await sent()).toBe(2);
  expect(await paid()).toBe(2n * price);
});

it('behavior: a restarted process does not know the pending transfer; the payer is charged once', async () => {
  const request = await payFrom('payer');
  await expectUnavailable(settle(start(), request));
  const restarted = start();
  await expectUnavailable(restarted.begin(request));
  await base.node.mine({ blocks: 1 });
  await expectAnswered(restarted, request);
  expect(await paid()).toBe(price);
});

it('error: a silent node delays each payer for the timeout only', async () => {
  let isSilent = true;
  const silent = withRpc(base.chain, {
    getTransactionCount: async (call) => {
      if (isSilent) await new Promise((resolve) => setTimeout(resolve, 1_500));
      return base.chain.rpc.getTransactionCount(call);
    },
  });
  const payments = start(silent);
  const requests = [await payFrom('first payer'), await payFrom('second payer')] as const;
  const sessions = [await reserve(payments, requests[0]), await reserve(payments, requests[1])];
  const started = Date.now();
  await Promise.all(sessions.map((session) => expectUnavailable(payments.settle(session, response))));
  expect(Date.now() - started).toBeLessThan(1_400);
  isSilent = false;
  await base.node.setAutomine(true);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  for (const request of requests) await expectAnswered(payments, request);
  expect(await paid()).toBe(2n * price);
});

it('behavior: a lagging node reports a used nonce; every payer is charged at most once', async () => {
  let isLagging = false;
  const chain = withRpc(base.chain, {
    getTransactionCount: (call) =>
      base.chain.rpc.getTransactionCount(isLagging ? { address: call.address } : call),
  });
  const payments = start(chain);
  const requests = [await payFrom('first payer'), await payFrom('second payer')] as const;
  await expectUnavailable(settle(payments, requests[0]));
  isLagging = true;
  await expectUnavailable(settle(payments, requests[1]));
  isLagging = false;
  expect(await pendingTransfers()).toHaveLength(1);
  await base.node.setAutomine(true);
  await base.node.mine({ blocks: 1 });
  for (const request of requests) await expectAnswered(payments, request);
  expect(await paid()).toBe(2n * price);
});
