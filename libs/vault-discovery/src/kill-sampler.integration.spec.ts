import { localRegistry, provisionLocalChain } from '@yield-vault/testing/local';
import { type DatabaseOptions, openDatabase } from '@yield-vault/database';
import type { DatabaseHandle } from '@yield-vault/protocol/database';
import { createTemporaryPostgres, isPostgresReachable } from '@yield-vault/database/testing';
import { type Anvil, startAnvil } from '@yield-vault/testing';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createTestClient, http, numberToHex } from 'viem';
import { buildChainConfig } from '../test/build-chain-config.js';
import type { SamplerProcess } from '../test/run-sampler.js';
import { parseRegistry } from './catalogue/parse-registry.js';

jest.setTimeout(600_000);

const packageRoot = join(__dirname, '..');
const kills = 8;
const pastHours = 200;
const backfillHours = 190;
const chainId = 8453;
const entries = parseRegistry(localRegistry())
  .filter((entry) => entry.chainId === chainId)
  .slice(0, 3);

let anvil: Anvil;

beforeAll(async () => {
  const genesis = Math.floor(Date.now() / 1_000) - pastHours * 3_600;
  anvil = await startAnvil({
    chainId,
    args: ['--timestamp', String(genesis), '--slots-in-an-epoch', '1', '--no-mining'],
  });
  const client = createTestClient({ mode: 'anvil', transport: http(anvil.rpcUrl) });
  await client.setAutomine(true);
  await provisionLocalChain(client as never, chainId);
  for (let t = genesis + 3_600; t < Date.now() / 1_000 - 600; t += 3_600)
    await client.request({ method: 'evm_mine', params: [numberToHex(t + 1_700)] } as never);
});
afterAll(() => anvil?.stop());

/** A process that has loaded its code and waits for a line. */
function startSampler(database: DatabaseOptions): ChildProcess {
  const deadlines = { rpcMs: 20_000, bundlerMs: 5_000 };
  const chain = buildChainConfig({ rpcUrls: [anvil.rpcUrl], deadlines });
  const work: SamplerProcess = { database, chain, entries, backfillHours };
  return spawn(
    process.execPath,
    [
      ...['-C', '@yield-vault/source', join(packageRoot, '../database/test/run-typescript.cjs')],
      ...[join(packageRoot, 'test/run-sampler.ts'), JSON.stringify(work)],
    ],
    { cwd: packageRoot, stdio: ['pipe', 'pipe', 'inherit'] },
  );
}

/**
 * Let it sample, and kill it without a chance to clean up: at a line that it says, or some time later.
 *
 * @returns the line
 */
async function killAfter(
  child: ChildProcess,
  isEnough: (line: string) => boolean,
  delayMs = 0,
): Promise<string> {
  const exited = once(child, 'exit');
  child.stdin!.write('go\n');
  let last = '';
  for await (last of createInterface({ input: child.stdout! })) if (isEnough(last)) break;
  setTimeout(() => child.kill('SIGKILL'), delayMs);
  await exited;
  return last;
}

const untilReported = (line: string) => line === 'reported';

/** Everything that is stored of the vaults of the chain, by address. */
async function readStored({ db }: DatabaseHandle) {
  const snapshots = await db
    .selectFrom('vault_snapshot')
    .innerJoin('vault', 'vault.id', 'vault_snapshot.vault_id')
    .select([
      'address',
      'hour',
      't',
      'block',
      'share_price',
      'total_assets',
      'total_supply',
      'price_usd',
      'origin',
    ])
    .orderBy('address')
    .orderBy('hour')
    .execute();
  const coverage = await db
    .selectFrom('sampling_checkpoint')
    .innerJoin('vault', 'vault.id', 'sampling_checkpoint.vault_id')
    .select(['address', 'covered_from', 'covered_until'])
    .orderBy('address')
    .execute();
  return { snapshots, coverage };
}

async function read(options: DatabaseOptions) {
  const database = await openDatabase(options);
  return readStored(database).finally(() => database.close());
}

/** Numbers that are the same in every run. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return Math.floor((state / 2_147_483_647) * below);
  };
}

interface Place {
  readonly options: DatabaseOptions;
  /** Free the lock of a killed process, which otherwise takes five seconds. */
  free(): Promise<void>;
  drop(): Promise<void>;
}

async function createDirectory(): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'yield-vault-sampler-'));
  const directory = join(folder, 'data');
  return {
    options: { directory },
    free: () => rm(`${directory}.lock`, { recursive: true }),
    drop: () => rm(folder, { recursive: true, force: true }),
  };
}

async function createPostgres(): Promise<Place> {
  const { url, drop } = await createTemporaryPostgres();
  return { options: { url }, free: () => Promise.resolve(), drop };
}

const places: { name: string; create: () => Promise<Place> }[] = [
  { name: 'PGlite', create: createDirectory },
];
if (isPostgresReachable()) places.push({ name: 'PostgreSQL', create: createPostgres });
else process.stderr.write('PostgreSQL is not reachable: its half of the kills is not run.\n');

describe.each(places)('a sampler that is killed ($name)', ({ create }) => {
  it(`behavior: ${kills} kills double no hour, lose none and change none`, async () => {
    const [killed, calm] = [await create(), await create()];
    const random = createRandom(20_260);
    const killedDuring: string[] = [];
    // The next process loads its code while this one works.
    let next = startSampler(killed.options);
    for (let kill = 0; kill < kills; kill += 1) {
      const child = next;
      next = startSampler(kill < kills - 1 ? killed.options : calm.options);
      let writesLeft = 1 + (kill % 5);
      // The first write of a process is the snapshot of the head.
      killedDuring.push(writesLeft === 1 ? 'snapshot' : 'backfill');
      const line = await killAfter(child, (each) => untilReported(each) || --writesLeft === 0, random(12));
      await killed.free();
      if (untilReported(line)) killedDuring[kill] = 'idle';
    }
    expect(new Set(killedDuring)).toEqual(new Set(['snapshot', 'backfill']));

    const last = startSampler(killed.options);
    await killAfter(last, untilReported);
    await killAfter(next, untilReported);
    await Promise.all([killed.free(), calm.free()]);
    const [stored, expected] = [await read(killed.options), await read(calm.options)];
    await Promise.all([killed.drop(), calm.drop()]);

    expect(expected.snapshots.length).toBeGreaterThan(entries.length * (backfillHours - 5));
    const hours = stored.snapshots.map(({ address, hour }) => `${address} ${hour.toISOString()}`);
    expect(new Set(hours).size).toBe(hours.length);
    expect(stored).toEqual(expected);
  });
});
