import { RpcRequestError, UnknownRpcError } from 'viem';
import { UpstreamFailure } from './upstream-failure.js';
import fc from 'fast-check';
import { mayShrinkRange, readBlockPieces, readBlockRange } from './read-block-range.js';

const tooLarge = new UpstreamFailure('rpc:base', 'HTTP status 413');

const blocks = (from: bigint, to: bigint) =>
  Array.from({ length: Number(to - from) + 1 }, (_, index) => from + BigInt(index));

/** A node that accepts so many blocks at once, and its requests. */
function limitedNode(limit: bigint) {
  const asked: string[] = [];
  const read = (from: bigint, to: bigint) => {
    asked.push(`${from}-${to}`);
    return to - from < limit ? Promise.resolve(blocks(from, to)) : Promise.reject(tooLarge);
  };
  return { asked, read };
}

describe('readBlockPieces', () => {
  it('default: the oldest piece first, and no more than is wanted', async () => {
    const { asked, read } = limitedNode(8n);
    for await (const piece of readBlockPieces(read, { fromBlock: 10n, toBlock: 39n, initialBlocks: 16n })) {
      if (piece.includes(20n)) break;
    }
    expect(asked).toEqual(['10-25', '10-17', '18-25']);
  });

  it('behavior: the newest piece first, as large as was found out', async () => {
    const { asked, read } = limitedNode(8n);
    const range = { fromBlock: 10n, toBlock: 39n, initialBlocks: 16n, newestFirst: true };
    const found: bigint[] = [];
    for await (const piece of readBlockPieces(read, range)) found.unshift(...piece);
    expect(asked).toEqual(['24-39', '32-39', '24-31', '16-23', '10-15']);
    expect(found).toEqual(blocks(10n, 39n));
  });
});

describe('readBlockRange', () => {
  it('property: every block exactly once, and in order from the oldest, for any limit of the node', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.bigInt({ min: 0n, max: 50n }),
        fc.bigInt({ min: 0n, max: 400n }),
        fc.bigInt({ min: 1n, max: 500n }),
        fc.array(fc.bigInt({ min: 1n, max: 100n }), { minLength: 1, maxLength: 5 }),
        fc.boolean(),
        async (fromBlock, length, initialBlocks, limits, newestFirst) => {
          const range = { fromBlock, toBlock: fromBlock + length, initialBlocks, newestFirst };
          let calls = 0;
          const read = async (from: bigint, to: bigint) => {
            const limit = limits[calls++ % limits.length]!;
            if (to - from + 1n > limit) throw tooLarge;
            return blocks(from, to);
          };
          const found = await readBlockRange(read, range);
          const all = blocks(range.fromBlock, range.toBlock);
          if (newestFirst) expect(new Set(found)).toEqual(new Set(all));
          else expect(found).toEqual(all);
          expect(found).toHaveLength(all.length);
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

const refused = (code: number, message: string) =>
  new UnknownRpcError(new RpcRequestError({ body: {}, url: 'http://node', error: { code, message } }));

describe('mayShrinkRange', () => {
  it.each([
    refused(-32602, 'block range too large'),
    refused(-32000, 'query returned more than 10000 results'),
    new UpstreamFailure('rpc:base', 'timed out'),
    new UpstreamFailure('rpc:base', 'rate limit exceeded'),
    new UpstreamFailure('rpc:base', 'HTTP status 413'),
  ])('behavior: yes for %s', (error) => expect(mayShrinkRange(error)).toBe(true));

  it.each([
    new UpstreamFailure('rpc:base', 'connection failed (ECONNREFUSED)'),
    new UpstreamFailure('rpc:base', 'failed too often; requests are paused'),
    new UpstreamFailure('rpc:base', 'HTTP status 401'),
    new TypeError('no error of a node'),
  ])('behavior: no for %s', (error) => expect(mayShrinkRange(error)).toBe(false));
});
