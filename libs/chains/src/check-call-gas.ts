import type { ActiveChains } from './active-chains.js';
import { probeCallGas, type CallGasProbe } from './probe-call-gas.js';

/** Where checks of a chain report what an operator has to cure. */
export interface CheckLog {
  error(facts: object, message: string): void;
  warn(facts: object, message: string): void;
}

/**
 * Make the check of how much gas the nodes of a chain allow in one call. Each chain is checked once, as soon as one of
 * its nodes responds.
 *
 * @param neededGas - gas that one call may need
 * @returns a function that takes the key of a chain and never throws; chains without wallets are not checked
 */
export function createCallGasCheck(
  wallets: Pick<ActiveChains, 'find'>,
  neededGas: bigint,
  log: CheckLog,
): (key: string) => Promise<void> {
  const checked = new Set<string>();
  return async (key) => {
    const chain = wallets.find(key);
    if (!chain || checked.has(key)) return;
    const nodes = await probeCallGas(chain, neededGas);
    if (nodes.every(({ outcome }) => outcome === 'down')) return;
    checked.add(key);
    for (const node of nodes) report(key, node, neededGas, log);
  };
}

function report(chain: string, { node, outcome, gas }: CallGasProbe, neededGas: bigint, log: CheckLog): void {
  const facts = { chain, node, neededGas: Number(neededGas), grantedGas: Number(gas) };
  const cure =
    `allow ${neededGas} gas or more in one eth_call of this node: --rpc.gascap of Geth, Reth and Erigon, ` +
    '--rpc-gas-cap of Besu, --JsonRpc.GasCap of Nethermind';
  if (outcome === 'refused') log.error(facts, `prepare cannot read through this node; ${cure}`);
  if (outcome === 'cut') log.warn(facts, `a vault that burns gas can keep prepare from reading; ${cure}`);
  if (outcome === 'down') log.warn({ chain, node }, 'a node of the chain does not respond');
}
