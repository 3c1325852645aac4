import { RpcFailure, startFakeRpc, type FakeRpc, type RpcHandler } from '@yield-vault/testing';
import { createPublicClient, http } from 'viem';
import { buildTrackedVault } from '../../test/build-snapshots.js';
import { createProber } from './create-prober.js';

const never = new AbortController().signal;

describe('createProber on a node without state overrides', () => {
  let node: FakeRpc;
  const messages: string[] = [];
  const logger = { info: () => undefined, warn: (_: object, message: string) => void messages.push(message) };
  const start = async (answer: RpcHandler) => {
    node = await startFakeRpc({ eth_call: answer });
    const rpc = createPublicClient({ transport: http(node.rpcUrl, { retryCount: 0 }) });
    return createProber({ chain: 'base', rpc, readGasLimit: 10_000_000, logger });
  };
  beforeEach(() => messages.splice(0));
  afterEach(() => node.stop());

  it('error: one that refuses them: no verdicts, told once', async () => {
    const prober = await start(() => {
      throw new RpcFailure(-32602, 'too many arguments, want at most 2');
    });
    expect(await prober.probe([buildTrackedVault()], 1n, never)).toEqual([]);
    expect(await prober.probe([buildTrackedVault()], 2n, never)).toEqual([]);
    expect(messages).toEqual([
      'the node refused to simulate a deposit',
      'the node has no state overrides: vaults are not simulated',
    ]);
  });

  it('error: one that ignores them: no verdicts', async () => {
    const prober = await start(() => '0x');
    expect(await prober.probe([buildTrackedVault()], 1n, never)).toEqual([]);
    expect(messages).toEqual(['the node has no state overrides: vaults are not simulated']);
    expect(node.calls).toHaveLength(1);
  });
});
