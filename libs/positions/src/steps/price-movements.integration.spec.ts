import { createActiveChains } from '@yield-vault/chains';
import { RpcFailure, startFakeRpc, type FakeRpc } from '@yield-vault/testing';
import { decodeFunctionData, erc4626Abi, numberToHex, type Hex } from 'viem';
import { buildChainConfig } from '../../test/chain-config.js';
import type { ShareMovement } from '../types.js';
import { priceMovements } from './price-movements.js';

const vault = '0x3000000000000000000000000000000000000003';
const transferIn: ShareMovement = {
  kind: 'transfer-in',
  shares: 100n,
  assets: undefined,
  blockNumber: 5n,
  logIndex: 0,
};

describe('priceMovements', () => {
  let node: FakeRpc;
  let missing: Error | undefined;
  let isBroken = false;
  const price = (movement: ShareMovement) => {
    const chain = createActiveChains({ chains: { base: buildChainConfig(node.rpcUrl) } }).require('base');
    return priceMovements(chain.rpc, vault, [movement], 9n);
  };

  beforeAll(async () => {
    // A vault whose share price is the block number.
    node = await startFakeRpc({
      eth_call: ([call, block]) => {
        if (missing && block === '0x5') throw missing;
        if (isBroken) throw new RpcFailure(3, 'execution reverted');
        const { args } = decodeFunctionData({ abi: erc4626Abi, data: (call as { data: Hex }).data });
        return numberToHex((args as readonly [bigint])[0] * BigInt(block as Hex), { size: 32 });
      },
    });
  });
  afterAll(() => node.stop());
  afterEach(() => {
    missing = undefined;
    isBroken = false;
    node.setFault(undefined);
  });

  it('default: shares that came by transfer cost what they were worth in that block', async () => {
    expect(await price(transferIn)).toEqual({
      movements: [{ ...transferIn, assets: 500n }],
      isEstimated: false,
    });
  });

  it('behavior: where the node lost that state, what they are worth at the pinned block', async () => {
    missing = new RpcFailure(-32000, 'missing trie node');
    expect(await price(transferIn)).toEqual({
      movements: [{ ...transferIn, assets: 900n }],
      isEstimated: true,
    });
  });

  it('behavior: where the vault does not say, nothing', async () => {
    isBroken = true;
    expect(await price(transferIn)).toEqual({
      movements: [{ ...transferIn, assets: 0n }],
      isEstimated: true,
    });
  });

  it.each(['deposit', 'withdraw', 'transfer-out'] as const)(
    'behavior: asks nothing for a %s',
    async (kind) => {
      node.setFault('cut');
      const { movements } = await price({ ...transferIn, kind, assets: 7n });
      expect(movements[0]!.assets).toBe(7n);
    },
  );

  it('error: an outage is no missing state', async () => {
    node.setFault('cut');
    await expect(price(transferIn)).rejects.toThrow(/connection failed/);
  });
});
