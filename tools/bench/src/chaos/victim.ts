import { openForks, simulateAddition } from './chain.js';

// The process of scenario "SIGKILL of the parent": it takes forks, says so, and waits for its end.
const [, , upstreamUrl = ''] = process.argv;
const forks = openForks(upstreamUrl);

await simulateAddition(forks, 1n);
await forks.withEphemeralFork(
  'base',
  async () => {
    console.log('ready');
    await new Promise(() => setInterval(() => undefined, 1_000));
  },
  { strategy: 'process', deadlineMs: 60_000 },
);
