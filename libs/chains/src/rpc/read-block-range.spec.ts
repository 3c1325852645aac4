import { RpcRequestError, UnknownRpcError } from 'viem';
import { UpstreamFailure } from './upstream-failure.js';
import fc from 'fast-check';
import { isRangeTooLarge, readBlockPieces, type BlockRange } from './read-block-range.js';

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

async function readAll<T>(
  read: (from: bigint, to: bigint) => Promise<readonly T[]>,
  range: BlockRange,
): Promise<T[]> {
  const found: T[] = [];
  for await (const piece of readBlockPieces(read, range)) found.push(...piece);
  return found;
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
          const found = await readAll(read, range);
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
    await readAll(read, { fromBlock: 10n, toBlock: 39n, initialBlocks: 16n });
    expect(asked).toEqual(['10-25', '10-17', '18-25', '26-33', '34-39']);
  });

  it('error: a single block that is too large, and an error of another kind at once', async () => {
    let calls = 0;
    const failing = (error: Error) => () => {
      calls++;
      return Promise.reject(error);
    };
    const range = { fromBlock: 0n, toBlock: 7n, initialBlocks: 8n };
    await expect(readAll(failing(tooLarge), range)).rejects.toBe(tooLarge);
    expect(calls).toBe(4);
    await expect(readAll(failing(new TypeError()), range)).rejects.toThrow(TypeError);
    expect(calls).toBe(5);
  });
});

const refused = (code: number, message: string) =>
  new UnknownRpcError(new RpcRequestError({ body: {}, url: 'http://node', error: { code, message } }));

describe('isRangeTooLarge', () => {
  it.each([
    refused(-32602, 'block range too large'),
    refused(-32000, 'something without a known word'),
    // As the large providers word it.
    refused(-32005, 'query returned more than 10000 results. Try with this block range [0x1, 0x2].'),
    refused(-32603, 'Max range: 800'),
    refused(429, 'exceeds the range allowed for your plan (5000 > 1000)'),
    refused(-32603, 'backend response too large'),
    new UpstreamFailure('rpc:base', 'timed out'),
    new UpstreamFailure('rpc:base', 'the response is too long'),
    new UpstreamFailure('rpc:base', 'HTTP status 413'),
  ])('behavior: yes for %s', (error) => expect(isRangeTooLarge(error)).toBe(true));

  it.each([
    refused(-32005, 'limit exceeded'),
    refused(-32016, 'over rate limit'),
    refused(429, 'Your app has exceeded its compute units per second capacity'),
    refused(-32603, 'internal error'),
    refused(-32602, 'block range extends beyond current head block'),
    new UpstreamFailure('rpc:base', 'rate limit exceeded'),
    new UpstreamFailure('rpc:base', 'HTTP status 429'),
    new UpstreamFailure('rpc:base', 'HTTP status 401'),
    new TypeError('no error of a node'),
  ])('behavior: no for %s', (error) => expect(isRangeTooLarge(error)).toBe(false));
});
