import { canonical } from '@yield-vault/contracts';
import { localMulticall3DeployedBytecode } from '@yield-vault/testing/local';
import { type Anvil, startAnvil } from '@yield-vault/testing';
import { type Address, createTestClient, type Hex, http, pad, publicActions, toFunctionSelector } from 'viem';
import { buildTrackedVault } from '../../test/build-snapshots.js';
import { createLiquidityReader } from './create-liquidity-reader.js';

const asset: Address = '0x00000000000000000000000000000000000a55e7';
const vault: Address = '0x00000000000000000000000000000000000fa017';
const aToken: Address = '0x000000000000000000000000000000000000a703';

/** Code that answers words by selector, and reverts otherwise. */
function answering(words: Readonly<Record<string, bigint>>): Hex {
  const entries = Object.entries(words).map(([signature, word]) => {
    const selector = toFunctionSelector(signature).slice(2);
    return { selector, word: word.toString(16).padStart(64, '0') };
  });
  // PUSH0 CALLDATALOAD, PUSH1 e0 SHR; then by entry: DUP1 PUSH4 EQ ISZERO PUSH2 next JUMPI, return the word
  const head = '5f3560e01c';
  const entryBytes = 1 + 5 + 1 + 1 + 3 + 1 + 33 + 1 + 1 + 2 + 1 + 1 + 1;
  const bodies = entries.map(({ selector, word }, index) => {
    const next = (head.length / 2 + (index + 1) * entryBytes - 1).toString(16).padStart(4, '0');
    return `8063${selector}141561${next}577f${word}5f5260205ff35b`;
  });
  return `0x${head}${bodies.join('')}5f5ffd`;
}
/** Code of a token that knows the balance of each account by its storage slot of the same number. */
const balances: Hex = '0x600435545f5260205ff3';

describe('createLiquidityReader', () => {
  let anvil: Anvil;
  let node: ReturnType<typeof clientOf>;
  const clientOf = (rpcUrl: string) =>
    createTestClient({ mode: 'anvil', transport: http(rpcUrl), cacheTime: 0 }).extend(publicActions);

  beforeAll(async () => {
    anvil = await startAnvil();
    node = clientOf(anvil.rpcUrl);
    await node.setCode({ address: canonical.multicall3, bytecode: localMulticall3DeployedBytecode });
    await node.setCode({ address: asset, bytecode: balances });
  });
  afterAll(() => anvil.stop());

  const hold = (account: Address, amount: bigint) =>
    node.setStorageAt({ address: asset, index: pad(account), value: pad(`0x${amount.toString(16)}`) });
  const read = async (protocol: string, words: Readonly<Record<string, bigint>>) => {
    await node.setCode({ address: vault, bytecode: answering({ 'totalAssets()': 1_000n, ...words }) });
    const found = buildTrackedVault({
      protocol,
      address: vault,
      asset: { symbol: 'X', address: asset, decimals: 6 },
    });
    const reader = createLiquidityReader({ rpc: node as never, readGasLimit: 1_000_000 });
    return (await reader([found], await node.getBlockNumber())).get(found.id);
  };

  it('default: the assets in the vault, when they are a large part of the total', async () => {
    await hold(vault, 300n);
    expect(await read('local', {})).toBe(0.3);
  });

  it('behavior: little that lies in the vault says nothing', async () => {
    await hold(vault, 299n);
    expect(await read('local', {})).toBeUndefined();
  });

  it('behavior: a wrapper of Aave pays up to the holdings of its aToken', async () => {
    await hold(aToken, 25n);
    expect(await read('aave-v3', { 'aToken()': BigInt(aToken) })).toBe(0.025);
  });

  it('behavior: a vault of Euler pays its cash', async () => {
    expect(await read('euler-v2', { 'cash()': 0n })).toBe(0);
    expect(await read('euler-v2', { 'cash()': 120n })).toBe(0.12);
  });

  it('behavior: never more than everything', async () => {
    expect(await read('euler-v2', { 'cash()': 5_000n })).toBe(1);
  });

  it('behavior: unknown where nothing answers, and of an empty vault', async () => {
    expect(await read('euler-v2', {})).toBeUndefined();
    expect(await read('euler-v2', { 'totalAssets()': 0n, 'cash()': 1n })).toBeUndefined();
  });
});
