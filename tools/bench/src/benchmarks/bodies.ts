import { setTimeout as sleep } from 'node:timers/promises';
import { walletContracts } from '@yield-vault/contracts';
import { atMost, benchmark } from '../harness.js';
import { hostileBodies, type Body } from '../hostile-bodies.js';
import { startServer, type MeasuredServer } from '../start-server.js';

const bytes = 256 * 1024;
const mostMs = 20;
/** A busy machine delays once; a body that holds the event loop delays each time. */
const attempts = 5;

export const bodies = benchmark({
  description: 'longest delay of the event loop for each of many hostile bodies; api must be built',
  options: { n: 1_000 },
  run: async ({ n: count }, defer) => {
    const server = await startServer(150, {}, defer);
    const delays: number[] = [];
    const slow: string[] = [];
    for (const hostile of hostileBodies(await readExamples(server.apiUrl), { count, bytes })) {
      const delay = await leastDelay(server, hostile);
      delays.push(delay);
      if (delay > mostMs) slow.push(`${hostile.path} ${hostile.body.slice(0, 100)}`);
    }
    console.error(slow.join('\n'));
    const worst = Math.max(...delays);
    return { [`${count} bodies`]: { 'median (ms)': delays, 'worst (ms)': worst, ...atMost(mostMs, worst) } };
  },
});

/** Send a body, and again while the event loop was held for too long. @returns the least delay */
async function leastDelay(
  { apiUrl, readDelay }: MeasuredServer,
  { path, body }: Body<string>,
): Promise<number> {
  let least = Infinity;
  for (let attempt = 0; attempt < attempts && least > mostMs; attempt++) {
    if (attempt > 0) await sleep(200);
    await readDelay();
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${apiUrl}${path}`, { method: 'POST', headers, body });
    const result = await response.text();
    if (response.status === 500) throw new Error(`${path} failed: ${result}: ${body.slice(0, 1_000)}`);
    least = Math.min(least, await readDelay());
  }
  return least;
}

interface Document {
  readonly paths: Record<string, { post?: { requestBody?: { content: Record<string, Examples> } } }>;
}
interface Examples {
  readonly example?: object;
  readonly examples?: Record<string, { readonly value: object }>;
}

/** The examples of every POST; the setup ticket made valid, so that its transaction is parsed. */
async function readExamples(url: string): Promise<Body<object>[]> {
  const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as Document;
  const expiresAt = new Date(Date.now() + 600_000).toISOString();
  return Object.entries(paths).flatMap(([path, { post }]) => {
    const { example, examples = {} } = post?.requestBody?.content['application/json'] ?? {};
    const bodies = example ? [example] : Object.values(examples).map(({ value }) => value);
    return bodies.map((body) => {
      if (!('setupTicket' in body)) return { path, body };
      const valid = { implementation: walletContracts.account, expiresAt };
      return { path, body: { ...body, setupTicket: { ...(body.setupTicket as object), ...valid } } };
    });
  });
}
