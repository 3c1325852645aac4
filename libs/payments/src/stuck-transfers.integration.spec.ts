import { UpstreamFailure } from '@yield-vault/chains';
import { UpstreamUnavailableError } from '@yield-vault/protocol';
import { testAccount } from '@yield-vault/testing';
import { parseGwei, type Hex, type LocalAccount } from 'viem';
import { buildPayments, price } from '../test/support/build-payments.js';
import { answer, buildRequest } from '../test/support/build-request.js';
import { decode, signPayment, type PaymentParts } from '../test/support/sign-payment.js';
import {
  payTo,
  relayer,
  startPaymentChain,
  type StartedPaymentChain,
} from '../test/support/start-payment-chain.js';
import { withRpc } from '../test/support/with-rpc.js';
import { createMemoryPaymentLedger } from './adapters/memory-payment-ledger.js';
import {
  createEmbeddedFacilitator,
  type EmbeddedFacilitatorOptions,
} from './facilitators/create-embedded-facilitator.js';
import type { Payments } from './payments.js';
import type { PaymentChain } from './ports.js';
import type { PaidRequest } from './types.js';

jest.setTimeout(60_000);

// More than twice what the chain starts with, and the tip.
const risenFee = parseGwei('10');
const patience = 3;
const blockGasLimit = 30_000_000n;

let base: StartedPaymentChain;
let ledger: ReturnType<typeof createMemoryPaymentLedger>;

beforeEach(async () => {
  base = await startPaymentChain();
  ledger = createMemoryPaymentLedger();
  await base.setUsdc(payTo, 1n);
  await base.node.setAutomine(false);
});
afterEach(() => base.stop());

/** A process that takes payments; each attempt lasts until what waits was seen to, which is twice a second. */
function start(
  options: Partial<EmbeddedFacilitatorOptions> = {},
  chain: PaymentChain = base.chain,
): Payments {
  const facilitator = createEmbeddedFacilitator({
    account: relayer,
    chains: [chain],
    confirmationTimeoutMs: 1_100,
    ...options,
  });
  return buildPayments({ chains: [chain], facilitator, ledger });
}

async function payFrom(name: string, parts: PaymentParts = {}): Promise<PaidRequest> {
  const payer: LocalAccount = testAccount(name);
  await base.setUsdc(payer.address, price);
  const signed = await signPayment(payer, base.chain, parts);
  return buildRequest({ 'PAYMENT-SIGNATURE': signed.v2 });
}

async function settle(payments: Payments, request: PaidRequest) {
  const verdict = await payments.begin(request);
  if (verdict.kind !== 'reserved') throw new Error(`not reserved: ${verdict.kind}`);
  return payments.settle(verdict.session, answer);
}

const unavailable = (attempt: Promise<unknown>) =>
  expect(attempt).rejects.toBeInstanceOf(UpstreamUnavailableError);

/** Let blocks pass that are too small for what waits: Anvil drops what fits in and offers too little. */
async function passBlocks(count: number, baseFeePerGas = risenFee): Promise<void> {
  const gas = (await waiting()).map((transaction) => BigInt(transaction.gas));
  await base.node.setBlockGasLimit({
    gasLimit: gas.reduce((least, each) => (each < least ? each : least)) - 1n,
  });
  for (let passed = 0; passed < count; passed++) await mineAt(baseFeePerGas);
  await base.node.setBlockGasLimit({ gasLimit: blockGasLimit });
}

async function mineAt(baseFeePerGas = risenFee): Promise<void> {
  await base.node.setNextBlockBaseFeePerGas({ baseFeePerGas });
  await base.node.mine({ blocks: 1 });
}

async function waiting() {
  const { pending } = await base.node.getTxpoolContent();
  const [mine] = Object.entries(pending).filter(
    ([from]) => from.toLowerCase() === relayer.address.toLowerCase(),
  );
  return Object.values(mine?.[1] ?? {});
}

const sent = () => base.node.getTransactionCount({ address: relayer.address });
const paid = async () => (await base.usdcOf(payTo)) - 1n;

it('default: fees leave room for a base fee twice as high', async () => {
  const payments = start();
  const { baseFeePerGas } = await base.node.getBlock();
  const request = await payFrom('payer');
  await unavailable(settle(payments, request));
  await mineAt(2n * (baseFeePerGas ?? 0n));
  await expect(payments.begin(request)).resolves.toMatchObject({ kind: 'answered' });
  await expect(paid()).resolves.toBe(price);
});

it('behavior: a transfer behind a risen base fee is replaced, settles with the new hash and is charged once', async () => {
  const hashes: Hex[] = [];
  // Time goes by whenever the broadcaster looks: at the risen fee, until it has replaced the transfer.
  const chain = withRpc(base.chain, {
    sendRawTransaction: async (call) => {
      hashes.push(await base.chain.rpc.sendRawTransaction(call));
      return hashes.at(-1) ?? '0x';
    },
    getBlock: (async () => {
      if (hashes.length === 1) await passBlocks(1);
      if (hashes.length === 2) await mineAt();
      return base.chain.rpc.getBlock();
    }) as never,
  });
  // Longer than the test: it has to see the new hash, not to ask the chain when the wait is over.
  const payments = start({ confirmationTimeoutMs: 120_000 }, chain);
  const settled = await settle(payments, await payFrom('payer'));
  expect(settled.kind).toBe('settled');
  expect(hashes).toHaveLength(2);
  const { transaction } = decode(
    (settled as { headers: Record<string, string> }).headers['PAYMENT-RESPONSE'],
  );
  expect(transaction).toBe(hashes[1]);
  await expect(sent()).resolves.toBe(1);
  await expect(paid()).resolves.toBe(price);
});

it('behavior: what waits behind a stuck transfer goes on with it', async () => {
  const payments = start();
  const requests = [await payFrom('first payer')];
  await unavailable(settle(payments, requests[0]!));
  await passBlocks(1);
  // These offer enough, and wait all the same.
  for (const name of ['second payer', 'third payer']) {
    const request = await payFrom(name);
    requests.push(request);
    await unavailable(settle(payments, request));
  }
  await passBlocks(patience);
  const before = await waiting();
  await unavailable(payments.begin(requests[2]!));
  const after = await waiting();
  expect(after.map(({ hash }, index) => hash === before[index]?.hash)).toEqual([false, true, true]);
  await mineAt();
  for (const request of requests)
    await expect(payments.begin(request)).resolves.toMatchObject({ kind: 'answered', answer });
  await expect(sent()).resolves.toBe(3);
  await expect(paid()).resolves.toBe(3n * price);
});

it('behavior: a new process replaces what an old one left behind; all are charged once', async () => {
  const left = await payFrom('payer of the old process');
  await unavailable(settle(start(), left));
  await passBlocks(1);
  const payments = start();
  const next = await payFrom('payer of the new process');
  await unavailable(settle(payments, next));
  await unavailable(payments.begin(left));
  await passBlocks(patience);
  await unavailable(payments.begin(next));
  // Nothing, the transfer of the new process, and that of the old one once more.
  await expect(waiting()).resolves.toMatchObject([
    { to: relayer.address.toLowerCase(), input: '0x' },
    {},
    {},
  ]);
  await mineAt();
  await expect(payments.begin(next)).resolves.toMatchObject({ kind: 'answered' });
  await expect(payments.begin(left)).resolves.toMatchObject({ kind: 'answered' });
  await expect(sent()).resolves.toBe(3);
  await expect(paid()).resolves.toBe(2n * price);
});

it('behavior: a stuck transfer that would revert by now is replaced by nothing', async () => {
  const payments = start();
  const validBefore = BigInt(Math.floor(Date.now() / 1_000) + 60);
  const late = await payFrom('late payer', { validBefore });
  await unavailable(settle(payments, late));
  const next = await payFrom('next payer', { validBefore: validBefore + 60n });
  await passBlocks(1);
  await unavailable(settle(payments, next));
  await base.node.setNextBlockTimestamp({ timestamp: validBefore });
  await passBlocks(patience);
  await unavailable(payments.begin(next));
  await expect(waiting()).resolves.toMatchObject([{ input: '0x' }, {}]);
  await mineAt();
  await expect(payments.begin(next)).resolves.toMatchObject({ kind: 'answered' });
  await expect(payments.begin(late)).resolves.toMatchObject({ kind: 'required' });
  await expect(paid()).resolves.toBe(price);
});

it('behavior: a replacement that the node never got is offered again, for no more', async () => {
  const offered: Hex[] = [];
  const chain = withRpc(base.chain, {
    sendRawTransaction: (call) =>
      offered.push(call.serializedTransaction) === 2
        ? Promise.reject(new UpstreamFailure('rpc:base', 'timed out'))
        : base.chain.rpc.sendRawTransaction(call),
  });
  const payments = start({}, chain);
  const request = await payFrom('payer');
  await unavailable(settle(payments, request));
  for (let round = 1; round <= 2; round++) {
    await passBlocks(patience);
    await unavailable(payments.begin(request));
  }
  expect(offered).toHaveLength(3);
  expect(offered[2]).toBe(offered[1]);
  await mineAt();
  await expect(payments.begin(request)).resolves.toMatchObject({ kind: 'answered' });
  await expect(paid()).resolves.toBe(price);
});

it('behavior: a node that already knows a transfer does not refuse it; it is replaced like others', async () => {
  // As when the first node of two takes it, and its answer is lost.
  const chain = withRpc(base.chain, {
    sendRawTransaction: async (call) => {
      await base.chain.rpc.sendRawTransaction(call);
      return base.chain.rpc.sendRawTransaction(call);
    },
  });
  const payments = start({}, chain);
  const request = await payFrom('payer');
  await unavailable(settle(payments, request));
  const [before] = await waiting();
  await passBlocks(patience);
  await unavailable(payments.begin(request));
  const [after] = await waiting();
  expect(after).toMatchObject({ input: before?.input, nonce: before?.nonce });
  await mineAt();
  await expect(payments.begin(request)).resolves.toMatchObject({ kind: 'answered' });
  await expect(paid()).resolves.toBe(price);
});

it('error: fees above the limit replace nothing, and are told; when they fall, the transfer is mined', async () => {
  const payments = start({ maxFeePerGas: { base: risenFee - 1n } });
  const request = await payFrom('payer');
  await unavailable(settle(payments, request));
  await passBlocks(2 * patience);
  const tooHigh = { detail: 'facilitator:base: fees are above the limit of this deployment.' };
  await expect(payments.begin(request)).rejects.toMatchObject(tooHigh);
  await expect(settle(payments, await payFrom('other payer'))).rejects.toMatchObject(tooHigh);
  await expect(waiting()).resolves.toHaveLength(1);
  await mineAt(1n);
  await expect(payments.begin(request)).resolves.toMatchObject({ kind: 'answered' });
  await expect(sent()).resolves.toBe(1);
  await expect(paid()).resolves.toBe(price);
});

it('behavior: a replacement offers no more than the limit', async () => {
  const limit = risenFee + parseGwei('2');
  const payments = start({ maxFeePerGas: { base: limit } });
  const request = await payFrom('payer');
  await unavailable(settle(payments, request));
  await passBlocks(patience);
  await unavailable(payments.begin(request));
  const [replacement] = await waiting();
  expect(BigInt(replacement?.maxFeePerGas ?? 0)).toBe(limit);
  await mineAt();
  await expect(payments.begin(request)).resolves.toMatchObject({ kind: 'answered' });
});

it('behavior: what offers enough is left alone, however long it waits', async () => {
  const payments = start();
  const request = await payFrom('payer');
  await unavailable(settle(payments, request));
  const before = await waiting();
  await passBlocks(2 * patience, parseGwei('1'));
  await unavailable(payments.begin(request));
  await expect(waiting()).resolves.toEqual(before);
});

it('behavior: a tip that is too low is raised, although the pool would include the transfer', async () => {
  let tip = parseGwei('1');
  const chain = withRpc(base.chain, { estimateMaxPriorityFeePerGas: () => Promise.resolve(tip) });
  const payments = start({}, chain);
  const request = await payFrom('payer');
  await unavailable(settle(payments, request));
  const [before] = await waiting();
  tip += 1n;
  await passBlocks(patience, parseGwei('1'));
  await unavailable(payments.begin(request));
  const [after] = await waiting();
  expect(after).toMatchObject({ input: before?.input, nonce: before?.nonce });
  expect(BigInt(after?.maxPriorityFeePerGas ?? 0)).toBeGreaterThan(tip);
});

it('behavior: a transfer that is sent again is given time, whatever was before', async () => {
  let tip = parseGwei('1');
  let sends = 0;
  const chain = withRpc(base.chain, {
    estimateMaxPriorityFeePerGas: () => Promise.resolve(++tip),
    sendRawTransaction: (call) => (sends++, base.chain.rpc.sendRawTransaction(call)),
  });
  const payments = start({}, chain);
  const request = await payFrom('payer');
  await unavailable(settle(payments, request));
  // Anvil drops it.
  await mineAt();
  await expect(waiting()).resolves.toEqual([]);
  for (let passed = 0; passed < patience; passed++) await mineAt(1n);
  await unavailable(payments.begin(request));
  expect(sends).toBe(2);
  await mineAt(1n);
  await expect(payments.begin(request)).resolves.toMatchObject({ kind: 'answered' });
  await expect(paid()).resolves.toBe(price);
});

it('behavior: a node that does not count what offers too little', async () => {
  const chain = withRpc(base.chain, {
    getTransactionCount: ({ address }) => base.chain.rpc.getTransactionCount({ address }),
  });
  const payments = start({}, chain);
  const request = await payFrom('payer');
  await unavailable(settle(payments, request));
  await passBlocks(patience);
  await unavailable(payments.begin(request));
  await mineAt();
  await expect(payments.begin(request)).resolves.toMatchObject({ kind: 'answered' });
  await expect(sent()).resolves.toBe(1);
  await expect(paid()).resolves.toBe(price);
});

it('behavior: a payment that finds its nonce taken sees to what took it', async () => {
  const chain = withRpc(base.chain, {
    getTransactionCount: ({ address }) => base.chain.rpc.getTransactionCount({ address }),
  });
  const payments = start({}, chain);
  const left = await payFrom('payer who does not come back');
  await unavailable(settle(payments, left));
  const [before] = await waiting();
  await passBlocks(patience);
  await unavailable(settle(payments, await payFrom('other payer')));
  const [after] = await waiting();
  expect(after).toMatchObject({ input: before?.input, nonce: before?.nonce });
  await mineAt();
  await expect(payments.begin(left)).resolves.toMatchObject({ kind: 'answered' });
  await expect(paid()).resolves.toBe(price);
});

it('error: a node that goes silent keeps nobody longer than told; all are charged once', async () => {
  let answers = Promise.resolve();
  let goOn = () => {};
  const chain = withRpc(base.chain, {
    getTransactionCount: async (call) => (await answers, base.chain.rpc.getTransactionCount(call)),
  });
  const payments = start({}, chain);
  const requests = [await payFrom('first payer'), await payFrom('second payer')] as const;
  await unavailable(settle(payments, requests[0]));
  answers = new Promise((resolve) => (goOn = resolve));
  // It looks after the line, and the other one waits for it; twice, as payers come back.
  await unavailable(payments.begin(requests[0]));
  await expect(settle(payments, requests[1])).rejects.toMatchObject({
    detail: 'facilitator:base: earlier transfers take too long.',
  });
  await unavailable(payments.begin(requests[1]));
  goOn();
  await unavailable(payments.begin(requests[1]));
  await expect(waiting()).resolves.toHaveLength(2);
  await mineAt(1n);
  for (const request of requests)
    await expect(payments.begin(request)).resolves.toMatchObject({ kind: 'answered' });
  await expect(sent()).resolves.toBe(2);
  await expect(paid()).resolves.toBe(2n * price);
});

it('error: a node that lags behind names a nonce that is taken; nothing is displaced', async () => {
  let isLagging = false;
  const chain = withRpc(base.chain, {
    getTransactionCount: (call) =>
      base.chain.rpc.getTransactionCount(isLagging ? { address: call.address } : call),
  });
  const payments = start({}, chain);
  const requests = [await payFrom('first payer'), await payFrom('second payer')] as const;
  await unavailable(settle(payments, requests[0]));
  const before = await waiting();
  // The second one would offer more.
  await passBlocks(1);
  isLagging = true;
  await unavailable(settle(payments, requests[1]));
  await expect(waiting()).resolves.toEqual(before);
  isLagging = false;
  await unavailable(payments.begin(requests[1]));
  await mineAt(1n);
  for (const request of requests)
    await expect(payments.begin(request)).resolves.toMatchObject({ kind: 'answered' });
  await expect(paid()).resolves.toBe(2n * price);
});

it('behavior: a transfer is mined although a node says that it is stuck; it is charged once', async () => {
  let isLagging = false;
  const old = await base.chain.rpc.getTransactionCount({ address: relayer.address });
  const chain = withRpc(base.chain, {
    getTransactionCount: (call) =>
      isLagging
        ? Promise.resolve(old + (call.blockTag === 'pending' ? 1 : 0))
        : base.chain.rpc.getTransactionCount(call),
  });
  const payments = start({}, chain);
  const requests = [await payFrom('first payer'), await payFrom('second payer')] as const;
  await unavailable(settle(payments, requests[0]));
  await mineAt(1n);
  await unavailable(settle(payments, requests[1]));
  isLagging = true;
  await passBlocks(patience);
  await unavailable(payments.begin(requests[1]));
  await mineAt(1n);
  for (const request of requests)
    await expect(payments.begin(request)).resolves.toMatchObject({ kind: 'answered' });
  await expect(sent()).resolves.toBe(2);
  await expect(paid()).resolves.toBe(2n * price);
});
