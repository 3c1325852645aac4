import { RpcRequestError } from 'viem';
import type { ActiveChain } from './active-chains.js';
import { lacksArchive } from './lacks-archive.js';

const refusal = (message: string) =>
  new RpcRequestError({ body: {}, url: '', error: { code: -32000, message } });

/** Read the state of 35 days ago on a chain with a block each two seconds. */
async function read(head: bigint, fail?: Error) {
  const asked: bigint[] = [];
  const rpc = {
    getBlock: ({ blockNumber = head } = {}) =>
      Promise.resolve({ number: blockNumber, timestamp: 1_700_000_000n + 2n * blockNumber }),
    getBalance: ({ blockNumber }: { blockNumber: bigint }) => {
      asked.push(blockNumber);
      return fail ? Promise.reject(fail) : Promise.resolve(0n);
    },
  };
  const result = await lacksArchive({ rpc } as unknown as Pick<ActiveChain, 'rpc'>, 35 * 86_400);
  return { result, asked };
}

describe('lacksArchive', () => {
  it('default: reads the state of the block that is so old, or of the first one', async () => {
    expect(await read(30_000_000n)).toEqual({ result: false, asked: [28_488_000n] });
    expect(await read(5_000n)).toEqual({ result: false, asked: [0n] });
  });

  it('behavior: missing state is no archive, and any other failure says nothing', async () => {
    expect(await read(30_000_000n, refusal('missing trie node'))).toMatchObject({ result: true });
    await expect(read(30_000_000n, refusal('rate limited'))).rejects.toThrow('rate limited');
  });
});
