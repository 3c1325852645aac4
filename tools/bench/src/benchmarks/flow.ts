import { execute, run } from '@yield-vault/agent-client';
import type { DevnetChain } from '@yield-vault/devnet';
import { benchmark, mapValues, measure } from '../harness.js';
import { newAgent, startChains, startDatabase, startService } from '../service.js';

/** The requests of a flow, in their order. */
const steps = [
  ...['discover', 'prepare (setup)', 'setup-relay (1 confirmation)', 'prepare (deposit)'],
  ...['execute (deposit)', 'status', 'execute (again)', 'history (30d)'],
  ...['prepare (redeem)', 'execute (redeem)'],
];

export const flow = benchmark({
  description: 'time of each request from setup to redeem; api must be built',
  options: { wallets: 5 },
  run: async ({ wallets }, defer) => {
    const { chains, base } = await startChains(defer);
    const url = await startService(chains, { DATABASE_URL: await startDatabase(defer) }, defer);
    const { flow } = await measure({ flow: () => timeFlow(url, base) }, { rounds: wallets });
    return mapValues(flow, (ms) => ({ 'median (ms)': ms, 'slowest (ms)': Math.max(...ms) }));
  },
});

/** Take a new wallet from setup to redeem. */
async function timeFlow(url: string, base: DevnetChain): Promise<Record<string, number>> {
  const { agent, requests } = await newAgent(url, base);
  const setupRelay: typeof agent.client.setupRelay = (request) =>
    agent.client.setupRelay({ ...request, confirmations: 1 });
  const client = { ...agent.client, setupRelay };
  const { vault, request } = await run({ ...agent, client, asset: 'USDC', amount: '25' });
  await client.execute(request);
  await client.history({ vaultId: vault.vaultId, period: '30d' });
  await execute(agent, { operation: 'redeem', vault: vault.vaultAddress, asset: 'USDC', percentage: 100 });
  if (requests.length !== steps.length) throw new Error(`The flow took ${requests.length} requests`);
  const times = requests.map(({ start, end }) => end - start);
  const all = times.reduce((sum, ms) => sum + ms);
  return { ...Object.fromEntries(steps.map((step, index) => [step, times[index]!])), 'all requests': all };
}
