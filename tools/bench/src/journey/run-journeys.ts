import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDevnet, startServer } from '@yield-vault/devnet';
import getPort from 'get-port';
import { measureJourney, type JourneyTimes } from './measure-journey.js';

/** Start the local deployment and take wallets through the journey one after the other; the first is not counted. */
export async function runJourneys(count: number): Promise<JourneyTimes[]> {
  const directory = await mkdtemp(join(tmpdir(), 'bench-'));
  const devnet = await startDevnet();
  try {
    const server = await startServer({
      chains: devnet.chains,
      host: '127.0.0.1',
      port: await getPort(),
      dataDirectory: join(directory, 'database'),
      logFile: join(directory, 'api.log'),
    });
    try {
      const base = devnet.chains.find(({ key }) => key === 'base');
      if (!base) throw new Error('The devnet has no Base');
      const runs: JourneyTimes[] = [];
      for (let run = 0; run <= count; run++) runs.push(await measureJourney(server.url, base));
      return runs.slice(1);
    } finally {
      await server.stop();
    }
  } finally {
    await devnet.stop();
    await rm(directory, { recursive: true, force: true });
  }
}
