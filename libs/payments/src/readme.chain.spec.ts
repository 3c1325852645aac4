import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { openTestDatabase } from '@yield-vault/database/testing';
import type { DatabaseHandle } from '@yield-vault/database';
import { ServiceError } from '@yield-vault/protocol';
import { testAccount } from '@yield-vault/testing';
import { relayer } from '../test/support/payment-chain.js';
import { startPaymentChain, type StartedPaymentChain } from '../test/support/start-payment-chain.js';
import * as library from './index.js';
import type { Facilitator } from './ports.js';

/** The example of the README, as a function of its imports and inputs. */
function exampleOf(names: readonly string[]): (...values: unknown[]) => Promise<void> {
  const readme = readFileSync(join(__dirname, '../README.md'), 'utf8');
  const [, code = ''] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];
  const body = code.replace(/^import [\s\S]*?;\n/gm, '');
  const AsyncFunction = (async () => {}).constructor as new (...parts: string[]) => () => Promise<void>;
  return new AsyncFunction(...names, body);
}

describe('README', () => {
  let base: StartedPaymentChain;
  let database: DatabaseHandle;
  let server: Server | undefined;

  beforeAll(async () => {
    [base, database] = await Promise.all([startPaymentChain(), openTestDatabase()]);
  });
  afterAll(async () => {
    server?.closeAllConnections();
    await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
    await database.close();
    await base.stop();
  });

  it('behavior: the example sells a response once to the official client, also while it repeats the request', async () => {
    const payer = testAccount('reader');
    await base.setUsdc(payer.address, 10_000n);
    const facilitator = library.createEmbeddedFacilitator({ account: relayer, chains: [base.chain] });
    let endVerification = () => {};
    const hasRepeated = new Promise<void>((resolve) => (endVerification = resolve));
    const given = {
      ...library,
      ServiceError,
      openDatabase: () => database,
      chainSchema: { parse: () => ({}) },
      createActiveChains: () => ({ require: () => ({ ...base.chain, usdc: base.usdc }) }),
      createRemoteFacilitator: (): Facilitator => ({
        ...facilitator,
        verify: (payment) => hasRepeated.then(() => facilitator.verify(payment)),
      }),
      createServer: (listener: RequestListener) => ({
        listen: () => (server = createServer(listener).listen(0, '127.0.0.1')),
      }),
    };
    await exampleOf(Object.keys(given))(...Object.values(given));
    if (!server) throw new Error('the example starts no server');
    if (!server.listening) await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const client = new x402Client().register('eip155:8453', new ExactEvmScheme(payer));
    const statuses: number[] = [];
    const fetchTwice: typeof fetch = async (input, init) => {
      const request = new Request(input, init);
      if (!library.paymentHeaders.some((header) => request.headers.has(header))) return fetch(request);
      const responses = [request.clone(), request].map(async (each) => {
        const response = await fetch(each);
        statuses.push(response.status);
        endVerification();
        return response;
      });
      const [first, second] = await Promise.all(responses);
      return first!.ok ? first! : second!;
    };
    const pay = wrapFetchWithPayment(fetchTwice, client);
    const response = await pay(`http://127.0.0.1:${port}/quote`, { method: 'POST' });
    expect(statuses).toEqual([503, 200]);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toEqual({ price: 42 });
    expect(await base.usdcOf(payer.address)).toBe(0n);
    expect((await fetch(`http://127.0.0.1:${port}/quote`, { method: 'POST' })).status).toBe(402);
  });
});
