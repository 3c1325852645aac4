import { startFakeRpc, type FakeRpc } from '@yield-vault/testing';
import {
  type Address,
  createPublicClient,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  http,
  numberToHex,
  toFunctionSelector,
} from 'viem';
import { aggregate } from '../../test/aggregate.js';
import { buildTrackedVault } from '../../test/build-snapshots.js';
import { createGroupReader } from '../governance/group-reader.js';
import { readAvailable, readTotals } from './read-vault-assets.js';

const asset: Address = '0x00000000000000000000000000000000000a55e7';
const vault: Address = '0x00000000000000000000000000000000000fa017';
const aToken: Address = '0x000000000000000000000000000000000000a703';

describe('the assets of a vault', () => {
  let node: FakeRpc;
  /** Words by call data. */
  let words: Map<Hex, bigint>;
  beforeAll(async () => {
    node = await startFakeRpc({
      eth_call: ([call]) =>
        aggregate((call as { data: Hex }).data, ({ callData }) => {
          const word = words.get(callData);
          return word === undefined ? undefined : numberToHex(word, { size: 32 });
        }),
    });
  });
  afterAll(() => node.stop());
  beforeEach(() => {
    words = new Map([
      [toFunctionSelector('totalAssets()'), 1_000n],
      [toFunctionSelector('totalSupply()'), 900n],
    ]);
  });

  const hold = (account: Address, amount: bigint) =>
    words.set(encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [account] }), amount);
  const read = async (protocol: string, responses: Readonly<Record<string, bigint>> = {}) => {
    for (const [signature, word] of Object.entries(responses)) words.set(toFunctionSelector(signature), word);
    const found = buildTrackedVault({
      protocol,
      address: vault,
      asset: { symbol: 'X', address: asset, decimals: 6 },
    });
    const rpc = createPublicClient({ transport: http(node.rpcUrl) });
    const reader = createGroupReader(rpc, 1n);
    const [totals] = await readTotals(reader, [found]);
    return {
      totals,
      available: await readAvailable({ rpc, block: 1n, read: reader }, found, totals!.totalAssets),
    };
  };

  it.each([
    [300n, 'idle', 300n],
    // A small part says nothing: the rest may be withdrawable, too.
    [299n, 'unknown', null],
    [5_000n, 'idle', 1_000n],
  ] as const)('default: %d of 1000 assets in the vault itself', async (held, method, instant) => {
    hold(vault, held);
    expect(await read('local')).toEqual({
      totals: { totalAssets: 1_000n, totalSupply: 900n },
      available: { method, instant },
    });
  });

  it('behavior: a wrapper of Aave pays up to the holdings of its aToken', async () => {
    hold(aToken, 25n);
    const { available } = await read('aave-v3', { 'aToken()': BigInt(aToken) });
    expect(available).toEqual({ method: 'protocol', instant: 25n });
  });

  it('behavior: an aToken that is no address stops no other vault', async () => {
    hold(vault, 400n);
    const { available } = await read('aave-v3', { 'aToken()': 2n ** 256n - 1n });
    expect(available).toEqual({ method: 'idle', instant: 400n });
  });

  it('behavior: unknown of a token that tells no balance', async () => {
    expect((await read('euler-v2')).available).toEqual({ method: 'unknown', instant: null });
  });
});
