import { openDatabase, type DatabaseHandle } from '@yield-vault/database';
import { createTemporaryPostgres } from '@yield-vault/database/testing';
import { createPublicClient, http } from 'viem';
import { describeWithPostgres } from '../support/describe-with-postgres.js';
import { devnetChains } from '../support/devnet.js';
import { judgeRun, type Judgement } from './judge-run.js';
import { runFaults, type FaultOptions, type FaultRun } from './run-faults.js';
import { startProxiedServer, type ProxiedServer } from './server-pair.js';

/** A run, and when it counts as good. */
interface Options extends Omit<FaultOptions, 'database'> {
  readonly expirySeconds: number;
  /** Let leases of killed servers lapse at once. */
  readonly lapsesLeases: boolean;
  readonly onEnd?: (run: FaultRun, judgement: Judgement) => void;
}

/** Describe a run of faults against two servers on one database. */
export function describeFaults(name: string, options: Options): void {
  const { expirySeconds, lapsesLeases, rounds, onEnd } = options;
  describeWithPostgres(name, () => {
    let postgres: Awaited<ReturnType<typeof createTemporaryPostgres>>;
    let database: DatabaseHandle;
    let servers: [ProxiedServer, ProxiedServer];

    beforeAll(async () => {
      postgres = await createTemporaryPostgres();
      database = await openDatabase({ url: postgres.url });
      const start = () => startProxiedServer(postgres.url, expirySeconds);
      servers = await Promise.all([start(), start()]);
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
        const run = await runFaults(servers, { ...options, ...(lapsesLeases && { database }) });
        const judgement = await judgeRun(run.deposits, database, fromBlock);
        onEnd?.(run, judgement);
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
