import { userOperationHash } from '@yield-vault/protocol';
import { buildIntent } from '../../test/support/build-intent.js';
import { createFakeChain } from '../../test/support/fake-chain.js';
import { refusingNode } from '../../test/support/refusing-node.js';
import { verifyIntent } from '../../test/support/verify-intent.js';
import { readOperation } from '../envelope.js';
import { findInclusion, locateOperation } from './locate-operation.js';

interface Range {
  readonly fromBlock: bigint;
  readonly toBlock: bigint;
}

async function startSearch(since?: bigint, searchBlocks = 10n) {
  const fake = createFakeChain();
  const request = await buildIntent();
  const operation = readOperation(request.intentEnvelope.userOps[0]?.userOperation as never);
  const { chain } = fake;
  const userOpHash = userOperationHash(operation, chain.entryPoint, chain.chainId);
  return {
    fake,
    nonce: operation.nonce,
    include: () => fake.includeDirectly(request),
    locate: () => locateOperation({ chain, operation, userOpHash }, { since, searchBlocks }),
    locateUntil: (until: number) =>
      locateOperation({ chain, operation, userOpHash }, { since, searchBlocks, until }),
  };
}

async function locateAfter(blocks: bigint, since?: bigint) {
  const { fake, include, locate } = await startSearch(since);
  include();
  fake.mine(blocks);
  return locate();
}

describe('locateOperation', () => {
  it('default: finds the event within the blocks to search', async () => {
    await expect(locateAfter(0n)).resolves.toMatchObject({ kind: 'included' });
    await expect(locateAfter(10n)).resolves.toMatchObject({ kind: 'included' });
  });

  it('behavior: searches back to where it was submitted, in pieces', async () => {
    await expect(locateAfter(95n, 101n)).resolves.toMatchObject({ kind: 'included' });
    await expect(locateAfter(1_000n, 100n)).resolves.toMatchObject({ kind: 'included' });
  });

  describe.each([10n, 50n, 1_000n])('on a node that accepts %s blocks of logs at once', (limit) => {
    async function startLimited(since?: bigint) {
      const { fake, ...search } = await startSearch(since, 2_000n);
      const { rpc } = fake.chain;
      const getLogs = rpc.getLogs as unknown as (range: Range) => Promise<unknown>;
      const refuse = refusingNode(-32602, `eth_getLogs is limited to a ${limit} block range`);
      let requests = 0;
      Object.assign(rpc, {
        getLogs: (range: Range) => {
          requests++;
          return range.toBlock - range.fromBlock < limit ? getLogs(range) : refuse.getLogs(range);
        },
      });
      return { fake, ...search, requests: () => requests };
    }

    it('behavior: finds the event as far back as anywhere, with a bounded number of requests', async () => {
      const { fake, include, locate, requests } = await startLimited();
      include();
      fake.mine(1_990n);
      await expect(locate()).resolves.toMatchObject({ kind: 'included' });
      expect(requests()).toBeLessThan(2 * Number(2_000n / limit) + 20);
    });

    it('behavior: few requests for an operation close to the start of the search', async () => {
      const unknown = await startLimited();
      unknown.fake.mine(2_000n);
      unknown.include();
      await expect(unknown.locate()).resolves.toMatchObject({ kind: 'included' });
      expect(unknown.requests()).toBeLessThan(5);
      const submitted = await startLimited(100n);
      submitted.include();
      submitted.fake.mine(1_990n);
      await expect(submitted.locate()).resolves.toMatchObject({ kind: 'included' });
      expect(submitted.requests()).toBeLessThan(5);
    });

    it('behavior: one request for a fresh submission, however long its logs lag', async () => {
      const { fake, include, locate, requests } = await startLimited(2_095n);
      fake.mine(2_000n);
      include();
      fake.setLogsLag(true);
      await expect(locate()).resolves.toEqual({ kind: 'unclear' });
      expect(requests()).toBe(1);
      fake.setLogsLag(false);
      await expect(locate()).resolves.toMatchObject({ kind: 'included' });
    });

    it('behavior: looks further back than it was submitted when the nonce was used by then', async () => {
      const { fake, include, locate } = await startLimited(1_000n);
      include();
      fake.mine(1_000n);
      await expect(locate()).resolves.toMatchObject({ kind: 'included' });
    });
  });

  it('behavior: an unused nonce is open, next in line or not', async () => {
    const { fake, nonce, locate } = await startSearch();
    if (nonce > 0n) fake.useNonceElsewhere(nonce - 1n);
    await expect(locate()).resolves.toMatchObject({ kind: 'open', isNext: true });
    const later = await startSearch();
    await expect(later.locate()).resolves.toMatchObject({ kind: 'open', isNext: false });
  });

  it('behavior: the event of another operation proves whose nonce it was', async () => {
    const { fake, nonce, locate } = await startSearch();
    fake.useNonceElsewhere(nonce);
    await expect(locate()).resolves.toEqual({ kind: 'nonce-used', blockNumber: 100n });
  });

  it('attack: a node whose logs lag does not turn an included operation into a failed one', async () => {
    const { fake, include, locate } = await startSearch();
    include();
    fake.setLogsLag(true);
    await expect(locate()).resolves.toEqual({ kind: 'unclear' });
    fake.mine(63n);
    await expect(locate()).resolves.toEqual({ kind: 'unclear' });
    fake.setLogsLag(false);
    fake.mine(-63n);
    await expect(locate()).resolves.toMatchObject({ kind: 'included' });
  });

  it('attack: nor does one that has the event and not yet the receipt', async () => {
    const { fake, include, locate } = await startSearch();
    include();
    const { rpc } = fake.chain;
    const readReceipt = rpc.getTransactionReceipt;
    rpc.getTransactionReceipt = () => readReceipt({ hash: '0x' });
    await expect(locate()).resolves.toEqual({ kind: 'unclear' });
  });

  it('behavior: a nonce used long ago without any event is lost', async () => {
    const { fake, include, locate } = await startSearch();
    include();
    fake.mine(64n);
    await expect(locate()).resolves.toEqual({ kind: 'nonce-used', blockNumber: undefined });
  });

  it('behavior: searches back from the last block that could include it', async () => {
    const { fake, include, locateUntil } = await startSearch(undefined, 10n);
    include();
    const included = await fake.chain.rpc.getBlock();
    fake.mine(20_000n);
    fake.setTime(Number(included.timestamp) + 40_000);
    await expect(locateUntil(Number(included.timestamp) + 11)).resolves.toMatchObject({ kind: 'included' });
    await expect(locateUntil(Number(included.timestamp) + 60)).resolves.toMatchObject({
      kind: 'nonce-used',
      blockNumber: undefined,
    });
  });

  it('behavior: it stays unclear where the node has no state of the past', async () => {
    const { fake, include, locate } = await startSearch();
    include();
    fake.mine(64n);
    const { rpc } = fake.chain;
    const readNonce = rpc.readContract;
    let reads = 0;
    rpc.readContract = ((parameters) =>
      reads++ === 0
        ? readNonce(parameters)
        : Promise.reject(new Error('missing trie node'))) as typeof readNonce;
    await expect(locate()).resolves.toEqual({ kind: 'unclear' });
  });
});

describe('findInclusion', () => {
  const startAwaited = async () => {
    const fake = createFakeChain();
    const request = await buildIntent();
    const intent = await verifyIntent(request, fake.chains);
    const asked: string[] = [];
    for (const read of ['getBlock', 'getLogs', 'getTransactionReceipt', 'readContract'] as const) {
      const answer = fake.chain.rpc[read] as (parameters: { blockNumber?: bigint }) => Promise<unknown>;
      const watched = (parameters: { blockNumber?: bigint }) => {
        asked.push(`${read} ${parameters.blockNumber ?? ''}`.trim());
        return answer(parameters);
      };
      Object.assign(fake.chain.rpc, { [read]: watched });
    }
    const find = (isAwaited = true) => findInclusion(intent, { since: 100n, searchBlocks: 10n, isAwaited });
    return { fake, intent, asked, find, include: () => fake.includeDirectly(request) };
  };

  it('default: asks once for event, block and nonce while it waits, and then for the receipt', async () => {
    const { asked, find, include } = await startAwaited();
    await expect(find()).resolves.toMatchObject({ kind: 'open', blockNumber: 100n });
    expect(asked.splice(0).sort()).toEqual(['getBlock', 'getLogs', 'readContract']);
    include();
    await expect(find()).resolves.toMatchObject({ kind: 'included', inclusion: { blockNumber: 101n } });
    expect(asked.sort()).toEqual(['getBlock', 'getLogs', 'getTransactionReceipt', 'readContract']);
  });

  it('behavior: asks for the event once more when the block comes between the calls', async () => {
    const { fake, asked, find, include } = await startAwaited();
    const { rpc } = fake.chain;
    const getLogs = rpc.getLogs as (filter: unknown) => Promise<unknown>;
    const early = () => {
      Object.assign(rpc, { getLogs });
      asked.push('getLogs');
      return Promise.resolve([]);
    };
    Object.assign(rpc, { getLogs: early });
    include();
    await expect(find()).resolves.toMatchObject({ kind: 'included', inclusion: { blockNumber: 101n } });
    expect(asked.sort()).toEqual(['getBlock', 'getLogs', 'getLogs', 'getTransactionReceipt', 'readContract']);
  });

  it('attack: an open nonce that decides is read in the block whose time or number counts', async () => {
    const { fake, intent, asked, find } = await startAwaited();
    await expect(find(false)).resolves.toMatchObject({ kind: 'open' });
    expect(asked.splice(0)).toEqual(['getBlock', 'readContract 100']);
    fake.setTime(intent.expiry + 1);
    await expect(find()).resolves.toMatchObject({ kind: 'open' });
    expect(asked).toContain('readContract 100');
  });
});
