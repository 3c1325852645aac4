import { type FakeRpc, startFakeRpc } from '@yield-vault/testing';
import { createPublicClient, type Hex, http, numberToHex } from 'viem';
import fc from 'fast-check';
import { createBlockFinder, readHeader } from './block-finder.js';

let node: FakeRpc;
let times: number[] = [];

beforeAll(async () => {
  node = await startFakeRpc({
    eth_getBlockByNumber: ([tag]) => {
      const number = tag === 'latest' ? times.length - 1 : Number(tag as Hex);
      const t = times[number];
      return t === undefined
        ? null
        : { number: numberToHex(number), timestamp: numberToHex(t), hash: numberToHex(number, { size: 32 }) };
    },
  });
});
afterAll(() => node.stop());

const client = () => createPublicClient({ transport: http(node.rpcUrl, { retryCount: 0 }), cacheTime: 0 });

async function find(t: number) {
  const rpc = client();
  const finder = createBlockFinder(rpc, await readHeader(rpc));
  return (await finder.lastBefore(t))?.number;
}

describe('createBlockFinder', () => {
  it('default: even blocks take a handful of headers', async () => {
    times = Array.from({ length: 1_000_000 }, (_, index) => 1_700_000_000 + 2 * index);
    const before = node.calls.length;
    expect(await find(1_700_000_000 + 1_000_001)).toBe(500_000);
    expect(node.calls.length - before).toBeLessThanOrEqual(6);
  });

  it('behavior: a first block at time zero, as Ethereum has it', async () => {
    times = [0, ...Array.from({ length: 1_000_000 }, (_, index) => 1_438_269_988 + 12 * index)];
    const before = node.calls.length;
    expect(await find(1_438_269_988 + 12 * 700_000)).toBe(700_000);
    expect(node.calls.length - before).toBeLessThanOrEqual(60);
  });

  it('behavior: agrees with a search through all blocks, however unevenly they come', async () => {
    const gaps = fc.array(fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 100_000 })), {
      minLength: 1,
      maxLength: 120,
    });
    await fc.assert(
      fc.asyncProperty(
        gaps,
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        fc.boolean(),
        async (list, share, isAtBlock) => {
          times = list.reduce<number[]>((all, gap) => [...all, all.at(-1)! + gap], [1_000]);
          // From before the first block on; often at the very time of one.
          const between = 999 + Math.floor(share * (times.at(-1)! - 999));
          const t = isAtBlock ? times[Math.floor(share * times.length)]! : between;
          const expected = times.findLastIndex((time) => time < t);
          expect(await find(t)).toBe(expected === -1 ? undefined : expected);
        },
      ),
      { numRuns: 60 },
    );
  });
});
