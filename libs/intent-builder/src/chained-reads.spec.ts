import { chainedReadsAbi } from '@yield-vault/contracts';
import { UpstreamUnavailableError } from '@yield-vault/protocol';
import { buildRankedVault } from '@yield-vault/testing';
import {
  decodeFunctionData,
  encodeErrorResult,
  encodeFunctionResult,
  erc20Abi,
  erc4626Abi,
  HttpRequestError,
  numberToHex,
  parseAbi,
  type Hex,
} from 'viem';
import { chains, buildRequest } from '../test/build-request.js';
import { largestCallGas, readChained, chainedReadsGas } from './chained-reads.js';
import type { CheckedRequest } from './types.js';
import { readsOf } from './wallet.js';

const [token, vault] = [
  '0x1000000000000000000000000000000000000001',
  '0x2000000000000000000000000000000000000002',
] as const;

const word = (value: bigint) => numberToHex(value, { size: 32 });
const call = { abi: chainedReadsAbi, functionName: 'read' } as const;
type Result = { readonly success: boolean; readonly returned: Hex };

/** A chain whose node returns these results, and the calls that it got. */
function chainReturning(...results: readonly Result[]) {
  const calls: { data: Hex; gas: bigint }[] = [];
  const respond = (request: { data: Hex; gas: bigint }) => {
    calls.push(request);
    return Promise.resolve({ data: encodeFunctionResult({ ...call, result: results }) });
  };
  return { calls, chain: { key: 'base', rpc: { call: respond } } as never };
}

const balance = { address: token, abi: erc20Abi, functionName: 'balanceOf', args: [vault] } as const;
const preview = { address: vault, abi: erc4626Abi, functionName: 'previewRedeem', args: [0n] } as const;

const gasOf = (parts: Partial<CheckedRequest>) =>
  chainedReadsGas(Object.values(readsOf(buildRequest(parts))).filter((read) => read !== undefined).length);

describe('readChained', () => {
  it('default: reads by name, one taking a part of another', async () => {
    const { chain, calls } = chainReturning(
      { success: true, returned: word(8n) },
      { success: true, returned: word(4n) },
    );
    const part = { numerator: 1n, denominator: 2n };
    const readings = await readChained(chain, {
      balance,
      unneeded: undefined,
      half: { ...preview, takes: { read: 'balance', part } },
    });
    expect(readings).toEqual({ balance: { value: 8n }, half: { value: 4n } });
    const [reads] = decodeFunctionData({ abi: chainedReadsAbi, data: calls[0]!.data }).args;
    expect(reads).toMatchObject([
      { target: token, source: 0n, numerator: 1n, denominator: 1n },
      { target: vault, source: 1n, ...part },
    ]);
    // Each read may burn all of its limit.
    const limits = reads.reduce((sum, { gasLimit }) => sum + gasLimit, 0n);
    expect(calls[0]!.gas).toBeGreaterThan((limits * 64n) / 63n);
  });

  it('behavior: a revert, no contract, and a result of another kind are reasons', async () => {
    const abi = parseAbi(['error EnforcedPause()']);
    const { chain } = chainReturning(
      { success: false, returned: encodeErrorResult({ abi }) },
      { success: false, returned: '0x' },
      { success: true, returned: '0x' },
      { success: true, returned: '0x01' },
    );
    expect(await readChained(chain, { a: balance, b: balance, c: balance, d: balance })).toEqual({
      a: { revertReason: 'EnforcedPause' },
      b: { revertReason: 'NO_REASON' },
      c: { revertReason: 'NO_REASON' },
      d: { revertReason: 'NO_REASON' },
    });
  });

  it('error: UpstreamUnavailableError when the node does not respond', async () => {
    await expect(readChained(chains.require('base'), { balance })).rejects.toThrow(UpstreamUnavailableError);
    const outage = new HttpRequestError({ url: 'http://127.0.0.1:1', status: 500 });
    const rpc = { call: () => Promise.reject(outage) };
    await expect(readChained({ key: 'base', rpc } as never, { balance })).rejects.toMatchObject({
      details: { dependency: 'rpc:base' },
    });
  });

  it('error: UpstreamUnavailableError when the node returns something else, or refuses the call', async () => {
    const outage = { details: { dependency: 'rpc:base' } };
    const refuses = { call: () => Promise.reject(new Error('gas limit is too high')) };
    for (const rpc of [refuses, { call: () => Promise.resolve({}) }]) {
      const attempt = readChained({ key: 'base', rpc } as never, { balance });
      await expect(attempt).rejects.toThrow(UpstreamUnavailableError);
      await expect(attempt).rejects.toMatchObject(outage);
    }
    await expect(readChained(chainReturning().chain, { balance })).rejects.toMatchObject(outage);
  });
});

describe('largestCallGas', () => {
  it('default: the reads of a rebalance, and no other operation needs more', () => {
    expect(gasOf({ operation: 'rebalance', target: buildRankedVault() })).toBe(largestCallGas);
    expect(gasOf({ operation: 'deposit', assets: 1n })).toBeLessThanOrEqual(largestCallGas);
    expect(gasOf({ operation: 'redeem', amount: { percentage: 50 } })).toBeLessThan(largestCallGas);
  });

  it('behavior: it stays below the default limit of nodes', () => {
    expect(largestCallGas).toBe(44_000_000n);
    expect(largestCallGas).toBeLessThan(50_000_000n);
  });
});
