import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { facilitatorKey } from '@yield-vault/devnet';
import { atMost, benchmark, goal, measure, median, quantile, ratio } from '../harness.js';
import { post, price, startPaidChain, type Sign } from '../paid-chain.js';
import { discoverPath } from '../queries.js';
import { startServer } from '../start-server.js';

/** How much slower valid payments may be beside forged ones, p95. */
const mostTimesSlower = 2;
const rounds = 4;
const payerCount = 10;
const pauseMs = 300;

export const forged = benchmark({
  description: 'time of valid payments, alone and beside forged ones from the same payers; api must be built',
  options: { forged: 5_000, rate: 50 },
  run: async ({ forged, rate }, defer) => {
    const paid = await startPaidChain(defer);
    const env = {
      BASE_RPC_URL: paid.rpcUrl,
      PAYMENTS: 'on',
      PAYMENTS_PAY_TO: paid.payTo,
      FACILITATOR_PRIVATE_KEY: facilitatorKey,
    };
    const url = (await startServer(150, env, defer)).apiUrl + discoverPath;
    const payers = await Promise.all(Array.from({ length: payerCount }, () => paid.newPayer(url)));
    const patterns = await Promise.all(payers.map((sign) => sign()));
    const count = Math.ceil(forged / rounds);
    const payOften = () => repeatPayments(url, payers, (count / rate) * 1_000);
    const attack = async (index: number) => {
      await sleep((index * 1_000) / rate);
      const client = { 'x-forwarded-for': `10.0.1.${index % 100}` };
      const { status } = await post(url, { ...forge(patterns[index % payerCount]!), ...client });
      if (status === 200) throw new Error('A forged payment passed');
    };
    const { alone, beside } = await measure(
      {
        alone: payOften,
        beside: async () => {
          const [figures] = await Promise.all([
            payOften(),
            ...Array.from({ length: count }, (_, index) => attack(index)),
          ]);
          return figures;
        },
      },
      { rounds },
    );
    const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count);
    const row = ({ passed, failed, p50, p95 }: typeof alone) => ({
      passed: sum(passed),
      failed: sum(failed),
      'p50 (ms)': p50,
      'p95 (ms)': p95,
    });
    const slower = ratio(beside.p95, alone.p95);
    // Those of the first rounds come on top.
    const transfers = Number((await paid.usdcOf(paid.payTo)) / price);
    const isPaid = transfers >= sum([...alone.passed, ...beside.passed]);
    const isServed = sum([...alone.failed, ...beside.failed]) === 0;
    return {
      alone: row(alone),
      'beside forged ones': { ...row(beside), 'times as long': slower, ...atMost(mostTimesSlower, slower) },
      transfers: { passed: transfers, ...goal('one each, none failed', isPaid && isServed) },
    };
  },
});

/** Each payer pays, and pays again after its response and a pause. */
async function repeatPayments(url: string, payers: readonly Sign[], durationMs: number) {
  const end = performance.now() + durationMs;
  const times: number[] = [];
  let failed = 0;
  const pay = async (sign: Sign, index: number) => {
    await sleep((index * pauseMs) / payerCount);
    while (performance.now() < end) {
      const payment = { ...(await sign()), 'x-forwarded-for': `10.0.0.${index}` };
      const start = performance.now();
      const { status } = await post(url, payment);
      if (status === 200) times.push(performance.now() - start);
      else failed++;
      await sleep(pauseMs);
    }
  };
  await Promise.all(payers.map(pay));
  return { passed: times.length, failed, p50: median(times), p95: quantile(times, 0.95) };
}

/** Make a payment with another nonce and another signature of the same form. */
function forge(pattern: Awaited<ReturnType<Sign>>): Record<string, string> {
  const [[name, header] = ['', '']] = Object.entries(pattern);
  const payment = JSON.parse(Buffer.from(header, 'base64').toString()) as {
    payload: { signature: string; authorization: { nonce: string; validBefore: string } };
  };
  const { payload } = payment;
  payload.signature = `0x${randomBytes(32).toString('hex')}${'11'.repeat(32)}1b`;
  payload.authorization.nonce = `0x${randomBytes(32).toString('hex')}`;
  payload.authorization.validBefore = String(Math.floor(Date.now() / 1_000) + 120);
  return { [name]: Buffer.from(JSON.stringify(payment)).toString('base64') };
}
