import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTemporaryPostgres, isPostgresReachable } from '@yield-vault/database/testing';
import type { ForkServiceAccess } from '@yield-vault/devnet';
import { freePort } from '@yield-vault/forks/anvil';
import { parse, stringify } from 'yaml';
import { devnetChains, forkedChains } from './devnet.ts';

const repository = resolve(__dirname, '../../../..');
const programs = {
  server: join(repository, 'apps/api/dist/main.js'),
  worker: join(repository, 'apps/worker/dist/main.js'),
} as const;
const tie = process.platform === 'linux' ? ['setpriv', '--pdeathsig', 'KILL'] : [];
const readinessDeadlineMs = 300_000;

/** URLs of one chain's upstreams. */
export interface Upstreams {
  readonly rpcUrl: string;
  readonly bundlerUrl: string;
}

/** A process of the deployment. */
export interface RunningProgram {
  /** Everything it logged so far. */
  log(): string;
  /** Send a signal and wait for the end; gives the exit code, or the signal that ended it. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | NodeJS.Signals>;
  /** End it and remove its database. */
  stop(): Promise<void>;
}

/** A server process. */
export interface Server extends RunningProgram {
  readonly url: string;
  /** Start it again on the same port, database and upstreams. */
  restart(): Promise<Server>;
}

/** What differs from the local deployment. */
export interface ServerOptions {
  /** Use the embedded database, although PostgreSQL runs. */
  readonly embedded?: boolean;
  /** Whose persistent forks the wallets act on; without it they act on the chains. */
  readonly forkService?: ForkServiceAccess;
  readonly upstreams?: Partial<Record<'base' | 'ethereum', Upstreams>>;
  /** Hours of history to read at the start; the file of the local deployment decides when it is not given. */
  readonly backfillHours?: number;
  /** Other settings of discovery. */
  readonly discovery?: Readonly<Record<string, unknown>>;
  /** Settings of the relays. */
  readonly relay?: Readonly<Record<string, unknown>>;
  /** Requests a client may send to each route in a minute. */
  readonly requestsPerMinute?: number;
  /** Settings of prepared intents. */
  readonly intents?: Readonly<Record<string, unknown>>;
  /** Settings of the testing tools. */
  readonly testing?: Readonly<Record<string, unknown>>;
  /** Any other setting by its path, e.g. `relay.executeWaitSeconds`. */
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
  /** The file of another build of the server. */
  readonly program?: string;
}

interface DeploymentFile {
  readonly rateLimits: { readonly perMinute: Record<string, number> };
  readonly discovery: Record<string, unknown>;
  testing: object;
  relay?: object;
  intents?: object | undefined;
}

async function writeConfig(directory: string, options: ServerOptions): Promise<string> {
  // Each build reads the settings that it knows.
  const configs = resolve(options.program ?? programs.server, '../../../../config');
  const file = parse(await readFile(join(configs, 'local.yaml'), 'utf8')) as DeploymentFile;
  const { discovery, rateLimits } = file;
  Object.assign(discovery, options.discovery);
  discovery['registryFile'] = join(configs, 'registry.local.json');
  if (options.backfillHours !== undefined) discovery['backfillHours'] = options.backfillHours;
  if (options.requestsPerMinute !== undefined)
    for (const route of Object.keys(rateLimits.perMinute))
      if (route !== 'other') rateLimits.perMinute[route] = options.requestsPerMinute;
  file.relay = { ...file.relay, ...options.relay };
  file.intents = options.intents;
  file.testing = { ...file.testing, ...options.testing };
  for (const [path, value] of Object.entries(options.settings ?? {})) {
    const keys = path.split('.');
    const last = keys.pop() ?? path;
    let section = file as unknown as Record<string, Record<string, unknown>>;
    for (const key of keys) section = (section[key] ??= {}) as typeof section;
    section[last] = value as Record<string, unknown>;
  }
  const path = join(directory, 'deployment.yaml');
  await writeFile(path, stringify(file));
  return path;
}

/** Start the built server on a free port with a database of its own, and wait until it is ready. */
export async function startServer(options: ServerOptions = {}): Promise<Server> {
  const { env, remove } = await prepare(options);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const launch = async (): Promise<Server> => {
    const { child, ...program } = run(
      options.program ?? programs.server,
      { ...env, HOST: '127.0.0.1', PORT: String(port) },
      remove,
    );
    await untilReady(url, child, program.log);
    return { ...program, url, restart: launch };
  };
  try {
    return await launch();
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Start the built worker; `env` must name a database that servers share with it. */
export async function startWorker(options: ServerOptions): Promise<RunningProgram> {
  const { env, remove } = await prepare(options);
  const { child: _child, ...program } = run(programs.worker, { ...env, METRICS_PORT: '0' }, remove);
  return program;
}

/** Write the deployment file, and say where everything is. */
async function prepare(options: ServerOptions) {
  for (const program of Object.values(programs))
    if (!existsSync(program)) throw new Error('The server is not built: run "npx nx build api"');
  const directory = await mkdtemp(join(tmpdir(), 'api-e2e-'));
  const ownsDatabase = !options.embedded && !options.env?.['DATABASE_URL'] && isPostgresReachable();
  // The embedded database takes two seconds longer to open.
  const postgres = ownsDatabase ? await createTemporaryPostgres() : undefined;
  const chains = options.forkService ? forkedChains() : devnetChains();
  const { base = chains.base, ethereum = chains.ethereum } = options.upstreams ?? {};
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    NODE_ENV: 'production',
    YIELD_VAULT_CONFIG: await writeConfig(directory, options),
    DATA_DIRECTORY: join(directory, 'database'),
    DATABASE_URL: postgres?.url ?? '',
    REDIS_URL: '',
    BASE_RPC_URL: base.rpcUrl,
    BASE_BUNDLER_URL: base.bundlerUrl,
    ETHEREUM_RPC_URL: ethereum.rpcUrl,
    ETHEREUM_BUNDLER_URL: ethereum.bundlerUrl,
    RELAY_MODE: options.forkService ? 'managed-fork' : 'chain',
    FORK_SERVICE_URL: options.forkService?.url ?? '',
    FORK_SERVICE_CREDENTIAL: options.forkService?.credential ?? '',
    ...options.env,
  };
  const remove = async () => {
    await rm(directory, { recursive: true, force: true });
    await postgres?.drop();
  };
  return { env, remove };
}

function run(
  program: string,
  env: NodeJS.ProcessEnv,
  remove: () => Promise<void>,
): RunningProgram & { readonly child: ChildProcess } {
  // The process must not outlive the tests, even when those are killed; only Linux can promise that.
  const [command = '', ...args] = [...tie, process.execPath, program];
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ended = new Promise<number | NodeJS.Signals>((done) =>
    child.once('exit', (code, signal) => done(code ?? signal ?? 0)),
  );
  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    child.kill(signal);
    return ended;
  };
  return {
    child,
    log: () => output,
    end,
    stop: async () => {
      await end('SIGKILL');
      await remove();
    },
  };
}

async function untilReady(url: string, child: ChildProcess, output: () => string): Promise<void> {
  const deadline = Date.now() + readinessDeadlineMs;
  while (Date.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`The server ended at its start:\n${output()}`);
    try {
      const response = await fetch(`${url}/health/ready`);
      // It is ready as soon as one chain serves.
      if (response.ok && !(await response.text()).includes('"ready":false')) return;
    } catch {
      // It does not listen yet.
    }
    await sleep(50);
  }
  child.kill('SIGKILL');
  throw new Error(`The server did not get ready in time:\n${output()}`);
}
