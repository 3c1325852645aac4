import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '@yield-vault/database';
import type { DatabaseHandle } from '@yield-vault/protocol/database';
import { createTemporaryPostgres, isPostgresReachable, testPostgresUrl } from '@yield-vault/database/testing';
import { createPublicClient, http } from 'viem';
import { judgeRun } from '../test/faults/judge-run.js';
import { reportRun } from '../test/faults/report-run.js';
import { runFaults } from '../test/faults/run-faults.js';
import { startProxiedServer, type ProxiedServer } from '../test/faults/server-pair.js';
import { devnetChains } from '../test/support/devnet.js';

// `npm run faults -w apps/api-e2e` runs twenty rounds and writes a report.
const rounds = Number(process.env['FAULT_ROUNDS'] ?? 1);
const reportFile = process.env['FAULT_REPORT'];

if (!isPostgresReachable()) {
  it('needs PostgreSQL, which does not run here', () => {
    process.stderr.write(`PostgreSQL is not reachable at ${testPostgresUrl}: faults are not tested.\n`);
    expect(isPostgresReachable()).toBe(false);
  });
} else {
  describe('kills and faults of execute', () => {
    let postgres: Awaited<ReturnType<typeof createTemporaryPostgres>>;
    let database: DatabaseHandle;
    let servers: [ProxiedServer, ProxiedServer];

    beforeAll(async () => {
      postgres = await createTemporaryPostgres();
      database = await openDatabase({ url: postgres.url });
      servers = await Promise.all([startProxiedServer(postgres.url), startProxiedServer(postgres.url)]);
    }, 120_000);
    afterAll(async () => {
      await Promise.all((servers ?? []).map((server) => server.stop()));
      await database?.close();
      await postgres?.drop();
    });

    it(
      'behavior: each deposit happens at most once, and its callers learn what the chain decides',
      async () => {
        const chain = createPublicClient({ transport: http(devnetChains().base.rpcUrl) });
        const fromBlock = await chain.getBlockNumber();
        const onProgress = (text: string) => process.stderr.write(`${text}\n`);
        const run = await runFaults(servers, { rounds, onProgress });
        const judgement = await judgeRun(run.deposits, database, fromBlock);
        const report = reportRun(run, judgement, rounds);
        process.stdout.write(`${report}\n`);
        if (reportFile) writeFileSync(join(__dirname, '../../..', reportFile), report);
        const { includedTwice, wronglyToldToPrepare, undecided } = judgement;
        expect({ includedTwice, wronglyToldToPrepare, undecided, unreached: run.unreached }).toEqual({
          includedTwice: [],
          wronglyToldToPrepare: [],
          undecided: [],
          unreached: [],
        });
      },
      rounds * 300_000 + 300_000,
    );
  });
}
