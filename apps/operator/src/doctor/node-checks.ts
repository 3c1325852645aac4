import {
  createJsonRpc,
  lacksArchive,
  probeCallGas,
  probeNode,
  readBlockPieces,
  type ActiveChain,
} from '@yield-vault/chains';
import type { Deployment } from '@yield-vault/deployment';
import { probeEndpoint } from '@yield-vault/forks/preflight';
import { largestCallGas } from '@yield-vault/intent-builder';
import { z } from 'zod';
import { judge, type Check } from './check.js';

const hourSeconds = 3_600;
const defaultLogs = { blocks: 10_000, requestsPerSecond: 50 } as const;

/**
 * List the checks of one node of a chain. Run the others only if the first passes.
 *
 * @param chain - with this node alone
 */
export function nodeChecks(
  chain: ActiveChain,
  subject: string,
  { discovery: { backfillHours }, preflight, forks }: Deployment,
): readonly [Check, ...Check[]] {
  const { key, nodes, rpcUrls, deadlines, logsFromBlock = 0 } = chain;
  const node = nodes[0]!;
  const variable = `${key.toUpperCase()}_LOG`;
  const { blocks, requestsPerSecond } = { ...defaultLogs, ...chain.logReads };
  return [
    [
      'node',
      subject,
      `Use a node of chain ${chain.chainId} that is in sync (chains.${key}.rpcUrls).`,
      async () => {
        const found = await probeNode({ ...chain, rpc: node });
        return typeof found === 'string' ? judge(found, true) : judge(`block ${found.blockNumber}`);
      },
    ],
    [
      'archive',
      subject,
      'Use an archive node: without old state no vault is ranked for a month.',
      async () => {
        const isMissing = await lacksArchive({ rpc: node }, backfillHours * hourSeconds);
        return judge(`state of ${backfillHours} hours ago: ${isMissing ? 'missing' : 'present'}`, isMissing);
      },
    ],
    [
      'eth_simulateV1',
      subject,
      'Use a node with eth_simulateV1, or a fork service; set preflight.mode (PREFLIGHT_MODE) to enforce.',
      async () => {
        if (preflight.mode === 'off') return judge('preflight is off: nothing is simulated', false, true);
        const request = (method: string, params?: readonly unknown[]) =>
          node.request({ method, params } as never);
        const result = await probeEndpoint(request, Date.now());
        const isBad = result !== 'passed';
        return judge(`a simulation with a known result ${result}`, isBad && forks.provider === 'none', isBad);
      },
    ],
    [
      'logs',
      subject,
      `Set chains.${key}.logReads.blocks (${variable}_BLOCKS) to what the node accepts, or use a node that keeps all logs since logsFromBlock.`,
      async () => {
        const wanted = Math.min(blocks, Number(await node.getBlockNumber()) - logsFromBlock + 1);
        if (wanted < 1) return judge('logsFromBlock is after the newest block', true);
        const read = async (fromBlock: bigint, toBlock: bigint) => {
          await node.getLogs({ address: chain.contracts.account, fromBlock, toBlock });
          return [toBlock - fromBlock + 1n];
        };
        const pieces = readBlockPieces(read, {
          fromBlock: BigInt(logsFromBlock),
          toBlock: BigInt(logsFromBlock + wanted - 1),
          initialBlocks: BigInt(wanted),
        });
        const { value: [accepted] = [] } = (await pieces.next()) as { readonly value?: readonly bigint[] };
        const isLess = Number(accepted) < wanted;
        return judge(
          `${isLess ? 'at most ' : ''}${accepted} of ${wanted} blocks in one query`,
          false,
          isLess,
        );
      },
    ],
    [
      'call gas',
      subject,
      `Allow ${largestCallGas} gas in one eth_call: --rpc.gascap of Geth, Reth and Erigon, --rpc-gas-cap of Besu.`,
      async () => {
        const [probe] = await probeCallGas(chain, largestCallGas);
        const { outcome, gas } = probe!;
        const isFailed = outcome === 'refused' || outcome === 'down';
        return judge(`${outcome}: ${gas} gas in one eth_call`, isFailed, outcome === 'cut');
      },
    ],
    [
      'rate',
      subject,
      `Set chains.${key}.logReads.requestsPerSecond (${variable}_RATE) to less, or take a plan that allows more.`,
      async () => {
        const guard = { dependency: `rpc:${key}`, deadlineMs: deadlines.rpcMs, retries: 0 };
        const send = createJsonRpc(rpcUrls[0]!, guard, () => undefined);
        const sent = Array.from({ length: requestsPerSecond }, () => send(z.unknown(), 'eth_blockNumber'));
        const refused = (await Promise.allSettled(sent)).filter(({ status }) => status === 'rejected').length;
        return judge(`it refused ${refused} of ${requestsPerSecond} requests at once`, false, refused > 0);
      },
    ],
  ];
}
