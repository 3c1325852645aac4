import { activeBase, startDevnet } from '@yield-vault/devnet';

/** Start a local chain that stands in for Base, without a bundler. */
export async function startChain() {
  const devnet = await startDevnet({ chains: ['base'], historyDays: 1, bundlers: false });
  const [started] = devnet.chains;
  if (!started) throw new Error('the devnet started no chain');
  return { started, chain: activeBase(started), stop: () => devnet.stop() };
}
