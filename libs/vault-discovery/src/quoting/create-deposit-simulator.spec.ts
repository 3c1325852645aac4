import { silentLogger } from '@yield-vault/protocol';
import { type FakeRpc, type RpcHandler, startFakeRpc } from '@yield-vault/testing';
import { createPublicClient, http, numberToHex } from 'viem';
import { buildTrackedVault } from '../../test/build-snapshots.js';
import { createDepositSimulator } from './create-deposit-simulator.js';

const { entry, shareDecimals } = buildTrackedVault();
const vault = { vaultAddress: entry.address, asset: entry.asset, shareDecimals };
const word = (value: bigint) => numberToHex(value, { size: 32 });
const block = { number: '0x1', timestamp: '0x1', transactions: [] };
const response = (returnData: string) => ({ status: '0x1', returnData, gasUsed: '0x1', logs: [] });

describe('createDepositSimulator', () => {
  let node: FakeRpc;
  const start = async (handlers: Record<string, RpcHandler>) => {
    node = await startFakeRpc({ eth_call: () => word(5n), eth_getBlockByNumber: () => block, ...handlers });
    const rpc = createPublicClient({ transport: http(node.rpcUrl, { retryCount: 0 }) });
    return createDepositSimulator({ key: 'base', rpc }, silentLogger);
  };
  afterEach(() => node.stop());

  it.each([
    ['of an asset whose balances cannot be found', false],
    ['on a node without eth_simulateV1', true],
  ])('behavior: the preview of the vault %s', async (_, isHeld) => {
    const deposit = await start({});
    expect(await deposit(vault, 7n, isHeld)).toEqual({ kind: 'previewed', shares: 5n, lost: isHeld ? 0 : 1 });
  });

  it.each([
    ['stays', word(10n ** 12n), word(10n ** 12n)],
    ['jumps', word(1n), word(10n ** 30n)],
    ['is zero', word(0n), word(1n)],
    ['is no word', '0x', `0x${'ff'.repeat(64)}`],
  ])('behavior: no rate when the share price %s', async (_, before, after) => {
    const prices = [before, after].map((price) => ({ ...block, calls: [response(price)] }));
    const deposit = await start({ eth_simulateV1: () => prices });
    expect(await deposit(vault, 7n, true)).toMatchObject({ kind: 'simulated', lost: 0, apy: undefined });
  });

  it('error: UpstreamUnavailableError when the node is down', async () => {
    const deposit = await start({});
    await node.stop();
    await expect(deposit(vault, 7n, true)).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
  });
});
