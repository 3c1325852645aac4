import { createActiveChains } from '@yield-vault/chains';
import { RpcFailure, startFakeRpc, type FakeRpc } from '@yield-vault/testing';
import {
  decodeFunctionData,
  encodeFunctionResult,
  erc4626Abi,
  multicall3Abi,
  numberToHex,
  type Hex,
} from 'viem';
import { buildChainConfig } from '../test/chain-config.js';
import { priceMovements } from './movements.js';
import type { ShareMovement } from './types.js';

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
  let refusedThen: Error | undefined;
  let refused: Error | undefined;
  let brokenResponse: { readonly success: boolean; readonly returnData: Hex } | undefined;
  let asked: string[] = [];
  const priceAll = (movements: readonly ShareMovement[], historic: readonly bigint[]) => {
    const chain = createActiveChains({ chains: { base: buildChainConfig(node.rpcUrl) } }).require('base');
    return priceMovements(chain.rpc, vault, movements, { historic: new Set(historic), pinned: 9n });
  };
  const price = async (movement: ShareMovement) => {
    const { movements, prices } = await priceAll([movement], [movement.blockNumber]);
    return { movements, blocks: [...prices.keys()] };
  };

  beforeAll(async () => {
    // A vault whose share price is the block number.
    const worth = (callData: Hex, block: Hex) => {
      const { args } = decodeFunctionData({ abi: erc4626Abi, data: callData });
      return numberToHex((args as readonly [bigint])[0] * BigInt(block), { size: 32 });
    };
    node = await startFakeRpc({
      eth_call: ([call, block]) => {
        asked.push(block as string);
        if (refused) throw refused;
        if (refusedThen && block === '0x5') throw refusedThen;
        const { args } = decodeFunctionData({ abi: multicall3Abi, data: (call as { data: Hex }).data });
        const { callData } = (args![0] as readonly { readonly callData: Hex }[])[0]!;
        return encodeFunctionResult({
          abi: multicall3Abi,
          functionName: 'aggregate3',
          result: [brokenResponse ?? { success: true, returnData: worth(callData, block as Hex) }],
        });
      },
    });
  });
  afterAll(() => node.stop());
  afterEach(() => {
    asked = [];
    refusedThen = undefined;
    refused = undefined;
    brokenResponse = undefined;
    node.setFault(undefined);
  });

  it('default: transferred shares cost their worth in that block', async () => {
    expect(await price(transferIn)).toEqual({ movements: [{ ...transferIn, assets: 500n }], blocks: [5n] });
  });

  const estimated = { movements: [{ ...transferIn, assets: 900n }], blocks: [] };

  it('behavior: where the node lost that state, their worth at the pinned block', async () => {
    refusedThen = new RpcFailure(-32000, 'missing trie node');
    expect(await price(transferIn)).toEqual(estimated);
  });

  it('behavior: where the vault failed in that block, their worth at the pinned block', async () => {
    refusedThen = new RpcFailure(3, 'execution reverted', '0x');
    expect(await price(transferIn)).toEqual(estimated);
  });

  it('behavior: one request for each chosen block, and one for the rest', async () => {
    const all = [
      transferIn,
      { ...transferIn, assets: 7n },
      ...[6n, 7n, 8n].map((blockNumber) => ({ ...transferIn, blockNumber })),
    ];
    const { movements, prices } = await priceAll(all, [5n, 8n]);
    expect(movements.map(({ assets }) => assets)).toEqual([500n, 7n, 900n, 900n, 800n]);
    expect(prices).toEqual(
      new Map([
        [5n, { shares: 100n, assets: 500n }],
        [8n, { shares: 100n, assets: 800n }],
      ]),
    );
    expect(asked.sort()).toEqual(['0x5', '0x8', '0x9']);
  });

  const nothing = { movements: [{ ...transferIn, assets: 0n }], blocks: [] };

  it.each([
    ['reverts', { success: false, returnData: '0x' }],
    ['is not there', { success: true, returnData: '0x' }],
    ['answers no number', { success: true, returnData: '0x01' }],
  ] as const)('behavior: nothing where the vault %s', async (_, response) => {
    brokenResponse = response;
    expect(await price(transferIn)).toEqual(nothing);
  });

  it.each([
    [3, 'execution reverted'],
    [-32000, 'out of gas'],
    [-32603, 'EVM error OutOfGas'],
  ])('behavior: nothing where the vault fails the whole call (%s %s)', async (code, message) => {
    refused = new RpcFailure(code, message);
    expect(await price(transferIn)).toEqual(nothing);
  });

  it.each(['deposit', 'withdraw', 'transfer-out'] as const)(
    'behavior: asks nothing for a %s',
    async (kind) => {
      node.setFault('cut');
      const { movements } = await price({ ...transferIn, kind, assets: 7n });
      expect(movements[0]!.assets).toBe(7n);
    },
  );

  it.each([
    [-32000, 'header not found'],
    [-32001, 'Resource not found'],
    [-32016, 'over rate limit'],
    [-32011, 'no backend is currently healthy to serve traffic'],
  ])('error: a refusal of the node is no failure of the vault (%s %s)', async (code, message) => {
    refusedThen = new RpcFailure(code, message);
    await expect(price(transferIn)).rejects.toThrow();
  });

  it('error: a node that lacks the state of the pinned block too is of no use', async () => {
    refused = new RpcFailure(-32000, 'missing trie node');
    await expect(price(transferIn)).rejects.toThrow(/missing trie node/);
  });

  it('error: an outage is no missing state', async () => {
    node.setFault('cut');
    await expect(price(transferIn)).rejects.toThrow(/connection failed/);
  });
});
