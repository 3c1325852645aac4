import { startAnvil } from '@yield-vault/anvil';
import {
  createTestClient,
  formatTransactionReceipt,
  http,
  parseGwei,
  publicActions,
  type Hex,
  type RpcTransactionReceipt,
} from 'viem';
import type { SimulatedCall, SimulatedCallResult } from '../../src/types.js';
import { chainId, senders } from './random-calls.js';

/** A chain with the same state as another one, which is no fork of it. */
export interface ChainCopy {
  /** Run calls as signed transactions, and undo them. */
  run(calls: readonly SimulatedCall[]): Promise<readonly SimulatedCallResult[]>;
  stop(): Promise<void>;
}

const plentyGas = 16_000_000n;

/** Start a copy of a chain from a dump of its state. */
export async function startCopy(state: Hex): Promise<ChainCopy> {
  const anvil = await startAnvil({
    args: [
      '--chain-id',
      String(chainId),
      '--accounts',
      '0',
      '--network',
      'optimism',
      '--no-request-size-limit',
    ],
  });
  const client = createTestClient({ mode: 'anvil', transport: http(anvil.rpcUrl) }).extend(publicActions);
  const request = (method: string, params: readonly unknown[]) => client.request({ method, params } as never);
  await client.loadState({ state });

  const send = async (call: SimulatedCall): Promise<SimulatedCallResult> => {
    const { from, to, data, value, gas = plentyGas, authorizationList } = call;
    const sender = senders.find(({ address }) => address === from);
    if (!sender) throw new Error('nobody can sign for the sender');
    const base = {
      ...{ chainId, to, data, gas, value: value ?? 0n },
      nonce: await client.getTransactionCount({ address: from }),
      maxFeePerGas: call.maxFeePerGas ?? parseGwei('20'),
      maxPriorityFeePerGas: call.maxPriorityFeePerGas ?? 0n,
    };
    const raw = authorizationList
      ? await sender.signTransaction({ ...base, type: 'eip7702', authorizationList: [...authorizationList] })
      : await sender.signTransaction({ ...base, type: 'eip1559' });
    const receipt = formatTransactionReceipt(
      (await request('eth_sendRawTransactionSync', [raw])) as RpcTransactionReceipt,
    );
    const trace = (await request('debug_traceTransaction', [
      receipt.transactionHash,
      { tracer: 'callTracer' },
    ])) as { output?: Hex };
    const returnData = trace.output ?? '0x';
    const failed = returnData === '0x' ? 'halt' : 'revert';
    return {
      status: receipt.status === 'success' ? 'success' : failed,
      gasUsed: receipt.gasUsed,
      returnData,
      logs: receipt.logs.map(({ address, topics, data: words }) => ({ address, topics, data: words })),
    };
  };

  return {
    async run(calls) {
      const snapshot = await client.snapshot();
      try {
        const results: SimulatedCallResult[] = [];
        for (const call of calls) results.push(await send(call));
        return results;
      } finally {
        await client.revert({ id: snapshot });
      }
    },
    stop: anvil.kill,
  };
}
