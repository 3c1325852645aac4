import fc from 'fast-check';
import { readBlockRange } from './read-block-range.js';
import { UpstreamFailure } from './upstream-failure.js';

const tooLarge = new UpstreamFailure('rpc:base', 'HTTP status 413');

const blocks = (from: bigint, to: bigint) =>
  Array.from({ length: Number(to - from) + 1 }, (_, index) => from + BigInt(index));

describe('readBlockRange', () => {
  it('property: every block exactly once and in order, whatever the node accepts', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.bigInt({ min: 0n, max: 50n }),
        fc.bigInt({ min: 0n, max: 400n }),
        fc.bigInt({ min: 1n, max: 500n }),
        fc.array(fc.bigInt({ min: 1n, max: 100n }), { minLength: 1, maxLength: 5 }),
        async (fromBlock, length, initialBlocks, limits) => {
          const range = { fromBlock, toBlock: fromBlock + length, initialBlocks };
          let calls = 0;
          const read = async (from: bigint, to: bigint) => {
            const limit = limits[calls++ % limits.length]!;
            if (to - from + 1n > limit) throw tooLarge;
            return blocks(from, to);
          };
          const found = await readBlockRange(read, range);
          expect(found).toEqual(blocks(range.fromBlock, range.toBlock));
        },
      ),
    );
  });

  it('behavior: inclusive bounds, halves on refusal, grows by half after three successes', async () => {
    const asked: string[] = [];
    let refusals = 1;
    const read = async (from: bigint, to: bigint) => {
      asked.push(`${from}-${to}`);
      if (refusals-- > 0) throw tooLarge;
      return [];
    };
    await readBlockRange(read, { fromBlock: 10n, toBlock: 39n, initialBlocks: 16n });
    expect(asked).toEqual(['10-25', '10-17', '18-25', '26-33', '34-39']);
  });

  it('behavior: as many as a node may have', async () => {
    const many = Array.from({ length: 300_000 }, (_, index) => index);
    const range = { fromBlock: 1n, toBlock: 1n, initialBlocks: 1n };
    expect(await readBlockRange(() => Promise.resolve(many), range)).toEqual(many);
  });

  it('behavior: an empty range asks nothing', async () => {
    const read = () => Promise.reject(new Error('asked'));
    expect(await readBlockRange(read, { fromBlock: 5n, toBlock: 4n, initialBlocks: 1n })).toEqual([]);
  });

  it('error: a single block that is too large, and an error of another kind at once', async () => {
    let calls = 0;
    const failing = (error: Error) => () => {
      calls++;
      return Promise.reject(error);
    };
    const range = { fromBlock: 0n, toBlock: 7n, initialBlocks: 8n };
    await expect(readBlockRange(failing(tooLarge), range)).rejects.toBe(tooLarge);
    expect(calls).toBe(4);
    await expect(readBlockRange(failing(new TypeError()), range)).rejects.toThrow(TypeError);
    expect(calls).toBe(5);
  });
});
