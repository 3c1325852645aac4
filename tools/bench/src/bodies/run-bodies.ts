import { setTimeout as sleep } from 'node:timers/promises';
import { localContracts } from '@yield-vault/contracts';
import { createBenchDatabase } from '../discover/bench-database.js';
import { startServers, type Servers } from '../discover/start-servers.js';
import { hostileBodies, type BodyExample, type HostileBody } from './hostile-bodies.js';

export interface BodyResult extends HostileBody {
  readonly status: number;
  /** Longest delay of the server's event loop meanwhile, in milliseconds. */
  readonly delayMs: number;
}

const bodyLimitBytes = 256 * 1024;
/** A busy machine delays once; a body that holds the event loop delays each time. */
const attempts = 5;
const pauseMs = 200;
export const maximumDelayMs = 20;

/** Send generated bodies of the largest size to every endpoint, and measure how long each holds the event loop. */
export async function runBodies(count: number): Promise<readonly BodyResult[]> {
  const database = await createBenchDatabase();
  try {
    await database.fill(150);
    const servers = await startServers(database.where);
    try {
      const bodies = hostileBodies(await readExamples(servers.apiUrl), { count, bytes: bodyLimitBytes });
      const results: BodyResult[] = [];
      for (const body of bodies) results.push(await measure(servers, body));
      return results;
    } finally {
      await servers.stop();
    }
  } finally {
    await database.drop();
  }
}

async function measure(servers: Servers, hostile: HostileBody): Promise<BodyResult> {
  let least: BodyResult | undefined;
  for (let attempt = 0; attempt < attempts; attempt++) {
    if (attempt > 0) await sleep(pauseMs);
    await servers.readDelay();
    const response = await fetch(`${servers.apiUrl}${hostile.path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: hostile.body,
    });
    await response.arrayBuffer();
    const result = { ...hostile, status: response.status, delayMs: await servers.readDelay() };
    if (!least || result.delayMs < least.delayMs) least = result;
    if (least.delayMs <= maximumDelayMs) break;
  }
  return least!;
}

interface Documented {
  readonly paths: Readonly<Record<string, { readonly post?: DocumentedPost }>>;
}
interface DocumentedPost {
  readonly requestBody?: {
    readonly content: Readonly<
      Record<
        string,
        {
          readonly example?: object;
          readonly examples?: Readonly<Record<string, { readonly value: object }>>;
        }
      >
    >;
  };
}

/** The examples of every POST; the setup ticket made valid, so that its transaction is parsed. */
async function readExamples(url: string): Promise<BodyExample[]> {
  const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as Documented;
  return Object.entries(paths).flatMap(([path, { post }]) => {
    const { example, examples = {} } = post?.requestBody?.content['application/json'] ?? {};
    const bodies = example ? [example] : Object.values(examples).map(({ value }) => value);
    return bodies.map((body) => ({ path, body: withValidTicket(body) }));
  });
}

function withValidTicket(body: object): object {
  if (!('setupTicket' in body)) return body;
  const expiresAt = new Date(Date.now() + 600_000).toISOString();
  const { account: implementation } = localContracts;
  return { ...body, setupTicket: { ...(body.setupTicket as object), implementation, expiresAt } };
}
