import { chainedReadsAbi } from '@yield-vault/contracts';
import { UpstreamUnavailableError } from '@yield-vault/protocol';
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
import { chains } from '../../test/build-order.js';
import { readChained } from './read-chained.js';

const [token, vault] = [
  '0x1000000000000000000000000000000000000001',
  '0x2000000000000000000000000000000000000002',
] as const;
const word = (value: bigint) => numberToHex(value, { size: 32 });
const call = { abi: chainedReadsAbi, functionName: 'read' } as const;
type Answer = { readonly success: boolean; readonly returned: Hex };

/** A chain whose node gives these answers, and what it was asked. */
function chainThatSays(...answers: readonly Answer[]) {
  const asked: { data: Hex; gas: bigint }[] = [];
  const answer = (request: { data: Hex; gas: bigint }) => {
    asked.push(request);
    return Promise.resolve({ data: encodeFunctionResult({ ...call, result: answers }) });
  };
  return { asked, chain: { key: 'base', rpc: { call: answer } } as never };
}

const balance = { address: token, abi: erc20Abi, functionName: 'balanceOf', args: [vault] } as const;
const preview = { address: vault, abi: erc4626Abi, functionName: 'previewRedeem', args: [0n] } as const;

describe('readChained', () => {
  it('default: reads by name, one taking a part of another', async () => {
    const { chain, asked } = chainThatSays(
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
    const [reads] = decodeFunctionData({ abi: chainedReadsAbi, data: asked[0]!.data }).args;
    expect(reads).toMatchObject([
      { target: token, source: 0n, numerator: 1n, denominator: 1n },
      { target: vault, source: 1n, ...part },
    ]);
    // Each read may burn all of its limit.
    const limits = reads.reduce((sum, { gasLimit }) => sum + gasLimit, 0n);
    expect(asked[0]!.gas).toBeGreaterThan((limits * 64n) / 63n);
  });

  it('behavior: a revert, no contract, and an answer of another kind are reasons', async () => {
    const abi = parseAbi(['error EnforcedPause()']);
    const { chain } = chainThatSays(
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

  it('error: UpstreamUnavailableError when the node does not answer', async () => {
    await expect(readChained(chains.require('base'), { balance })).rejects.toThrow(UpstreamUnavailableError);
    const outage = new HttpRequestError({ url: 'http://127.0.0.1:1', status: 500 });
    const rpc = { call: () => Promise.reject(outage) };
    await expect(readChained({ key: 'base', rpc } as never, { balance })).rejects.toMatchObject({
      details: { dependency: 'rpc:base' },
    });
  });

  it('error: UpstreamUnavailableError when the node answers something else, or refuses the call', async () => {
    const outage = { details: { dependency: 'rpc:base' } };
    const refuses = { call: () => Promise.reject(new Error('gas limit is too high')) };
    for (const rpc of [refuses, { call: () => Promise.resolve({}) }]) {
      const attempt = readChained({ key: 'base', rpc } as never, { balance });
      await expect(attempt).rejects.toThrow(UpstreamUnavailableError);
      await expect(attempt).rejects.toMatchObject(outage);
    }
    await expect(readChained(chainThatSays().chain, { balance })).rejects.toMatchObject(outage);
  });
});
