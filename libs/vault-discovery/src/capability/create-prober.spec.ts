import { type FakeRpc, RpcFailure, type RpcHandler, startFakeRpc } from '@yield-vault/testing';
import { createPublicClient, http } from 'viem';
import { buildTrackedVault } from '../../test/build-snapshots.js';
import { createProber } from './create-prober.js';

const block = { number: '0x1', timestamp: '0x1', transactions: [] };
const never = new AbortController().signal;

describe('createProber', () => {
  let node: FakeRpc;
  const messages: string[] = [];
  const record = (_: object, message: string) => void messages.push(message);
  const logger = { info: () => undefined, warn: record, error: record };
  const start = async (response: RpcHandler) => {
    node = await startFakeRpc({ eth_call: response, eth_getBlockByNumber: () => block });
    const rpc = createPublicClient({ transport: http(node.rpcUrl, { retryCount: 0 }) });
    return createProber({ chain: 'base', rpc, logger });
  };
  beforeEach(() => messages.splice(0));
  afterEach(() => node.stop());

  it('behavior: no vault can know the simulated holder in advance', async () => {
    const seen: unknown[] = [];
    for (let process = 0; process < 2; process++) {
      const prober = await start(() => '0x');
      await prober.probe([buildTrackedVault()], 1n, never);
      const { from, to } = node.calls[1]!.params[0] as { from: string; to: string };
      seen.push(from, to);
      if (process === 0) await node.stop();
    }
    expect(new Set(seen).size).toBe(4);
  });

  it('error: a node that refuses state overrides: no results, one warning', async () => {
    const prober = await start(() => {
      throw new RpcFailure(-32602, 'too many arguments, want at most 2');
    });
    expect(await prober.probe([buildTrackedVault()], 1n, never)).toEqual([]);
    expect(await prober.probe([buildTrackedVault()], 2n, never)).toEqual([]);
    expect(messages).toEqual([
      'the node refused to simulate a deposit or redeem',
      'the node has no state overrides: vaults are not simulated',
    ]);
  });

  it('error: a node that ignores state overrides: no results', async () => {
    const prober = await start(() => '0x');
    expect(await prober.probe([buildTrackedVault()], 1n, never)).toEqual([]);
    expect(messages).toEqual(['the node has no state overrides: vaults are not simulated']);
    expect(node.calls).toHaveLength(2);
  });
});
