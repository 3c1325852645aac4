import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { openDatabase } from '@yield-vault/database';
import {
  createDatabasePaymentLedger,
  createEmbeddedFacilitator,
  createPayments,
} from '@yield-vault/payments';
import { listen } from '@yield-vault/testing';
import { atMost, benchmark, measure, median, quantile } from '../harness.js';
import { post, priceUsd, startPaidChain } from '../paid-chain.js';
import { startDatabase } from '../service.js';

/** Milliseconds that a payment may add, p50. */
const most = { unpaid: 1, verify: 5 };

export const payments = benchmark({
  description: 'time that a payment adds to a request',
  options: { n: 200 },
  run: async ({ n }, defer) => {
    const paid = await startPaidChain(defer);
    const database = await openDatabase({ url: await startDatabase(defer) });
    defer(() => database.close());
    const { payTo, facilitator: account } = paid;
    const chains = [paid.chain];
    const payments = createPayments({
      chains,
      ledger: createDatabasePaymentLedger(database, { maxInFlightPerPayer: 64 }),
      facilitator: createEmbeddedFacilitator({ account, chains }),
      options: {
        payTo,
        publicUrl: 'https://api.example.com',
        resources: { paid: { method: 'POST', path: '/paid', priceUsd, description: 'A list' } },
      },
    });
    /** Milliseconds from the arrival of the last request to its handler. */
    let reached = 0;
    /** Two routes that differ only in the payment. */
    const serve = async (request: IncomingMessage, response: ServerResponse) => {
      const arrived = performance.now();
      const path = request.url ?? '';
      const begun = await payments.begin({
        resource: path.slice(1),
        method: 'POST',
        path,
        requestId: 'bench',
        body: await buffer(request),
        header: (name) => request.headers[name.toLowerCase()]?.toString(),
      });
      reached = performance.now() - arrived;
      const result =
        begun.kind === 'reserved'
          ? await payments.settle(begun.session, { status: 200, contentType, body: content })
          : begun;
      response.setHeader('content-type', contentType);
      if (result.kind !== 'required') return response.end(content);
      const { headers, body } = result.challenge;
      return response.writeHead(402, headers).end(JSON.stringify(body));
    };
    const server = await listen(createServer((request, response) => void serve(request, response)));
    defer(() => server.stop());
    const [free, priced] = ['free', 'paid'].map((route) => `http://127.0.0.1:${server.port}/${route}`) as [
      string,
      string,
    ];
    const sign = await paid.newPayer(priced);

    const send = async (url: string, expected: number, payment = {}) => {
      const start = performance.now();
      const { status, text } = await post(url, payment);
      if (status !== expected) throw new Error(`Status ${status}, not ${expected}: ${text}`);
      return { ms: performance.now() - start, reached };
    };
    const { bare, unpaid, verified } = await measure(
      {
        bare: () => send(free, 200),
        unpaid: () => send(priced, 402),
        verified: async () => send(priced, 200, await sign()),
      },
      { rounds: n, warmUps: 20 },
    );
    const row = (ours: readonly number[], bare: readonly number[], most: number) => {
      const adds = median(ours) - median(bare);
      const cells = {
        'ours (ms)': ours,
        'p95 (ms)': quantile(ours, 0.95),
        'bare (ms)': bare,
        'ours adds': adds,
      };
      return { ...cells, ...atMost(most, adds) };
    };
    return {
      '402 for an unpaid request': row(unpaid.ms, bare.ms, most.unpaid),
      'until the handler starts, paid': row(verified.reached, bare.reached, most.verify),
    };
  },
});

const contentType = 'application/json; charset=utf-8';
const content = Buffer.from(JSON.stringify({ vaults: Array.from({ length: 5 }, (_, rank) => ({ rank })) }));
