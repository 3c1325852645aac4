import { openDatabase, type DatabaseHandle } from '@yield-vault/database';
import { createTemporaryPostgres, isPostgresReachable, testPostgresUrl } from '@yield-vault/database/testing';
import { UpstreamUnavailableError } from '@yield-vault/protocol';
import { testAccount } from '@yield-vault/testing';
import { buildPayments, price } from '../test/support/build-payments.js';
import { response } from '../test/support/build-request.js';
import { expectAnswered, reserve } from '../test/support/reserve.js';
import { payTo, relayer } from '../test/support/payment-chain.js';
import { startPaymentChain, type StartedPaymentChain } from '../test/support/start-payment-chain.js';
import { withRpc } from '../test/support/with-rpc.js';
import { createDatabasePaymentLedger } from './adapters/database-payment-ledger.js';
import { createEmbeddedFacilitator } from './adapters/create-embedded-facilitator.js';
import type { Payments } from './payments.js';

if (!isPostgresReachable())
  it('needs PostgreSQL', () => {
    process.stderr.write(
      `PostgreSQL is not reachable at ${testPostgresUrl}: a shared account is not tested.\n`,
    );
  });
else
  describe('processes that share the account of the embedded facilitator', () => {
    let base: StartedPaymentChain;
    let postgres: Awaited<ReturnType<typeof createTemporaryPostgres>>;
    let databases: [DatabaseHandle, DatabaseHandle];

    beforeAll(async () => {
      postgres = await createTemporaryPostgres();
      databases = [await openDatabase(postgres), await openDatabase(postgres)];
    });
    beforeEach(async () => {
      base = await startPaymentChain();
      await base.setUsdc(payTo, 0n);
    });
    afterEach(() => base.stop());
    afterAll(async () => {
      await Promise.all(databases.map((database) => database.close()));
      await postgres.drop();
    });

    let payers = 0;
    const payNew = () => base.payFrom(testAccount(`payer of a shared account ${++payers}`));

    function start(database: DatabaseHandle, chain = base.chain, confirmationTimeoutMs = 15_000): Payments {
      return buildPayments({
        chains: [chain],
        ledger: createDatabasePaymentLedger(database, { maxInFlightPerPayer: 100 }),
        facilitator: createEmbeddedFacilitator({
          account: relayer,
          chains: [chain],
          database,
          confirmationTimeoutMs,
        }),
      });
    }

    it('behavior: no two of them send with one nonce; every payment is settled once', async () => {
      const nonces: number[] = [];
      // The time between reading a nonce and sending it, in which another process could read the same.
      const slow = withRpc(base.chain, {
        getTransactionCount: async (call) => {
          const nonce = await base.chain.rpc.getTransactionCount(call);
          nonces.push(nonce);
          await new Promise((resolve) => setTimeout(resolve, 30));
          return nonce;
        },
      });
      const processes = databases.map((database) => start(database, slow));
      const requests = await Promise.all(Array.from({ length: 16 }, payNew));
      const kinds = await Promise.all(
        requests.map(async (request, index) => {
          const payments = processes[index % 2]!;
          return (await payments.settle(await reserve(payments, request), response)).kind;
        }),
      );
      expect(kinds).toEqual(requests.map(() => 'settled'));
      expect([...nonces].sort((a, b) => a - b)).toEqual(requests.map((_, index) => nonces[0]! + index));
      expect(await base.usdcOf(payTo)).toBe(price * 16n);
    });

    it('error: unavailable while another one waits for its transfer; the payment is charged once, later', async () => {
      const [first, second] = databases.map((database) => start(database, base.chain, 1_500));
      const requests = [await payNew(), await payNew()] as const;
      await base.node.setAutomine(false);
      const session = await reserve(first!, requests[0]);
      const held = first!.settle(session, response);
      const unavailable = expect(held).rejects.toBeInstanceOf(UpstreamUnavailableError);
      while ((await base.node.getTxpoolStatus()).pending === 0)
        await new Promise((resolve) => setTimeout(resolve, 10));
      const impatient = start(databases[1], base.chain, 200);
      const refused = impatient.settle(await reserve(impatient, requests[1]), response);
      await expect(refused).rejects.toMatchObject({
        retryAfterSeconds: 5,
        details: { dependency: 'facilitator:base' },
      });
      // It sent nothing.
      expect(await base.node.getTxpoolStatus()).toMatchObject({ pending: 1 });
      await unavailable;
      await base.node.setAutomine(true);
      await base.node.mine({ blocks: 1 });
      for (const request of requests) await expectAnswered(second!, request);
      expect(await base.usdcOf(payTo)).toBe(price * 2n);
    });
  });
