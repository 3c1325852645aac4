import { setTimeout as sleep } from 'node:timers/promises';
import { createApiClient, type ApiClient } from '../test/support/api-client.js';
import { sharedForkService } from '../test/support/devnet.js';
import { agentOnFork, prepareSetup, setUp, signedDeposit, usdcVault } from '../test/support/funded-agent.js';
import { generateRequests, type KnownValues } from '../test/support/generate-requests.js';
import { readOperations } from '../test/support/read-operations.js';
import { startServer, type Server } from '../test/support/start-server.js';

// Without a number CI's share; 20000 for the whole: GENERATED_REQUESTS=20000 npx jest generated
const count = Number(process.env['GENERATED_REQUESTS'] ?? 400);
const seed = Number(process.env['GENERATED_SEED'] ?? 1);
const inFlight = 8;
const memoryLine = 'memory after collection';

/** Runs inside the server and writes its memory after a garbage collection, every second. */
const memoryProbe = `
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
setInterval(() => {
  collect();
  const { heapUsed, rss } = process.memoryUsage();
  process.stderr.write('${memoryLine} ' + JSON.stringify({ heapUsed, rss }) + '\\n');
}, 1_000).unref();
`;

interface Memory {
  readonly heapUsed: number;
  readonly rss: number;
}

describe('generated requests', () => {
  let server: Server;
  let api: ApiClient;
  let known: KnownValues;

  beforeAll(async () => {
    server = await startServer({
      forkService: sharedForkService(),
      backfillHours: 48,
      requestsPerMinute: 1_000_000,
      env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(memoryProbe)}` },
    });
    api = await createApiClient(server.url);
    known = await knownValues(api);
  }, 120_000);
  afterAll(() => server?.stop());

  const memoryNow = async (): Promise<Memory> => {
    await sleep(2_500);
    const line =
      server
        .log()
        .split('\n')
        .findLast((each) => each.startsWith(memoryLine)) ?? '';
    return JSON.parse(line.slice(memoryLine.length)) as Memory;
  };

  it(`behavior: each of ${count} has a documented response, and the memory stays flat`, async () => {
    const documented = readOperations(await (await fetch(`${server.url}/openapi.json`)).json());
    const operations = documented.filter(({ path }) => /^\/(v1|health)/.test(path));
    const requests = generateRequests(operations, known, { count, seed });
    const statuses = new Map<string, number>();
    const failures: unknown[] = [];
    const memory: Memory[] = [];
    for (const [start, end] of [
      [0, 0.25],
      [0.25, 1],
    ] as const) {
      const queue = requests.slice(start * count, end * count).values();
      const work = async () => {
        for (const { method, path, body } of queue) {
          // The client holds each response against the document, and rejects a status that it does not list.
          const sent = api.call(method, path, body);
          const { status } = await sent.catch((error: unknown) => {
            failures.push({ method, path, body, error });
            return { status: 0 };
          });
          const key = `${method} ${path.split('?')[0]!.replace(/vaults\/.+/, 'vaults/*')} ${status}`;
          statuses.set(key, (statuses.get(key) ?? 0) + 1);
          if (status === 500) failures.push({ method, path, body, status });
        }
      };
      await Promise.all(Array.from({ length: inFlight }, work));
      memory.push(await memoryNow());
    }
    const [early, late] = memory as [Memory, Memory];
    console.log({ statuses: Object.fromEntries([...statuses].sort()), early, late });
    expect(failures.slice(0, 5)).toEqual([]);
    // After fewer requests the caches still fill.
    if (count >= 20_000) expect(late.heapUsed).toBeLessThan(early.heapUsed * 1.1);
  }, 1_800_000);
});

/** Wallets, vaults and signed documents that exist. */
async function knownValues(api: ApiClient): Promise<KnownValues> {
  const { vaultId } = await usdcVault(api);
  const { vaults } = await api.discover({ limit: 20 });
  const [agent, newcomer] = await Promise.all([agentOnFork(api), agentOnFork(api)]);
  await setUp(api, agent, vaultId);
  const { intentEnvelope, intentSignature } = await signedDeposit(api, agent, vaultId);
  const { setup, setupTicket } = await prepareSetup(api, newcomer, vaultId);
  const wallets = [agent.address, newcomer.address];
  return {
    ...{ agentAddress: wallets, userAddress: wallets, walletAddress: wallets },
    ...{ vaultId: vaults.map((vault) => vault.vaultId), chain: ['base', 'base', 'ethereum'] },
    ...{ asset: ['USDC', 'usdc', 'WETH'], amount: ['1', '0.5', '60'], shares: ['1000000'], limit: [5, 20] },
    ...{ ethWei: ['1000'], usdcAmount: ['1000'], period: ['7d', '90d'] },
    ...{ intentEnvelope: [intentEnvelope], intentSignature: [intentSignature] },
    ...{ setupTicket: [setupTicket], signedRawTx: [await newcomer.signSetup(setup)] },
  };
}
