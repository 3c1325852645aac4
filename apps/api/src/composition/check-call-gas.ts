import { probeCallGas, type ActiveChains, type CallGasProbe } from '@yield-vault/chains';
import { largestCallGas } from '@yield-vault/intent-builder';
import type { Logger } from 'pino';
import type { ProbeChain } from '../ports.js';

const cure =
  `allow ${largestCallGas} gas or more in one eth_call of this node: --rpc.gascap of Geth, Reth and Erigon, ` +
  '--rpc-gas-cap of Besu, --JsonRpc.GasCap of Nethermind';

/**
 * Have a probe also find out, when a chain on which wallets act answers for the first time, whether its nodes allow
 * what prepare reads with, and say so in the log where they do not.
 */
export function checkCallGas(probeChain: ProbeChain, wallets: ActiveChains, logger: Logger): ProbeChain {
  const checked = new Set<string>();
  return async (key) => {
    const probe = await probeChain(key);
    const chain = wallets.find(key);
    if (probe.rpc !== 'ok' || !chain || checked.has(key)) return probe;
    const nodes = await probeCallGas(chain, largestCallGas);
    // Gone again: there is a next time.
    if (nodes.every(({ outcome }) => outcome === 'down')) return probe;
    checked.add(key);
    for (const node of nodes) report(key, node, logger);
    return probe;
  };
}

function report(chain: string, { node, outcome, gas }: CallGasProbe, logger: Logger): void {
  const facts = { chain, node, neededGas: Number(largestCallGas), grantedGas: Number(gas) };
  if (outcome === 'refused') logger.error(facts, `prepare cannot read through this node; ${cure}`);
  if (outcome === 'cut') logger.warn(facts, `a vault that burns gas can keep prepare from reading; ${cure}`);
  if (outcome === 'down') logger.warn({ chain, node }, 'a node of the chain does not answer');
}
