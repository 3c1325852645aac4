import { userOperationHash } from '@yield-vault/protocol';
import { keccak256, type Hex } from 'viem';
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
  const locate = (expiry = request.intentEnvelope.expiry) =>
    locateOperation(
      { chain, operation, userOpHash, expiry },
      { sending: since === undefined ? { kind: 'not-sent' } : { kind: 'sent', since }, searchBlocks },
    );
  return {
    fake,
    nonce: operation.nonce,
    include: () => fake.includeDirectly(request),
    locate,
    expectIncluded: async () => expect(await locate()).toMatchObject({ kind: 'included' }),
    expectUnclear: async () => expect(await locate()).toEqual({ kind: 'unclear' }),
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
    expect(await locateAfter(0n)).toMatchObject({ kind: 'included' });
    expect(await locateAfter(10n)).toMatchObject({ kind: 'included' });
  });

  it('behavior: searches back to where it was submitted, in pieces', async () => {
    expect(await locateAfter(95n, 101n)).toMatchObject({ kind: 'included' });
    expect(await locateAfter(1_000n, 100n)).toMatchObject({ kind: 'included' });
  });

  describe.each([10n, 1_000n])('on a node that accepts %s blocks of logs at once', (limit) => {
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
      const { fake, include, requests, expectIncluded } = await startLimited();
      include();
      fake.mine(1_990n);
      await expectIncluded();
      expect(requests()).toBeLessThan(2 * Number(2_000n / limit) + 20);
    });

    it('behavior: few requests for an operation close to the start of the search', async () => {
      const unknown = await startLimited();
      unknown.fake.mine(2_000n);
      unknown.include();
      expect(await unknown.locate()).toMatchObject({ kind: 'included' });
      expect(unknown.requests()).toBeLessThan(5);
      const submitted = await startLimited(100n);
      submitted.include();
      submitted.fake.mine(1_990n);
      expect(await submitted.locate()).toMatchObject({ kind: 'included' });
      expect(submitted.requests()).toBeLessThan(5);
    });

    it('behavior: one request for a fresh submission, however long its logs lag', async () => {
      const { fake, include, requests, expectIncluded, expectUnclear } = await startLimited(2_095n);
      fake.mine(2_000n);
      include();
      fake.setLogsLag(true);
      fake.setReceipts({ node: false, bundler: false });
      await expectUnclear();
      expect(requests()).toBe(1);
      fake.setLogsLag(false);
      await expectIncluded();
    });

    it('behavior: looks further back than it was submitted when the nonce was used by then', async () => {
      const { fake, include, expectIncluded } = await startLimited(1_000n);
      include();
      fake.mine(1_000n);
      await expectIncluded();
    });
  });

  it('behavior: an unused nonce is open, next in line or not', async () => {
    const { fake, nonce, locate } = await startSearch();
    if (nonce > 0n) fake.useNonceElsewhere(nonce - 1n);
    expect(await locate()).toMatchObject({ kind: 'open', isNext: true });
    const later = await startSearch();
    expect(await later.locate()).toMatchObject({ kind: 'open', isNext: false });
  });

  it('behavior: the event of another operation proves whose nonce it was', async () => {
    const { fake, nonce, locate } = await startSearch();
    fake.useNonceElsewhere(nonce);
    expect(await locate()).toEqual({ kind: 'nonce-used', blockNumber: 100n });
  });

  it('attack: a node whose logs lag does not turn an included operation into a failed one', async () => {
    const { fake, include, expectIncluded, expectUnclear } = await startSearch();
    include();
    fake.setLogsLag(true);
    fake.setReceipts({ node: false, bundler: false });
    for (const blocks of [0n, 65n, 10_000n]) {
      fake.mine(blocks);
      await expectUnclear();
    }
    for (const witness of [
      { node: true, bundler: false },
      { node: false, bundler: true },
    ]) {
      fake.setReceipts(witness);
      await expectIncluded();
    }
  });

  it('behavior: a bundler whose receipt the chain does not have proves nothing', async () => {
    const { fake, nonce, locate, expectUnclear } = await startSearch();
    fake.incrementNonce(nonce);
    const receipt = { receipt: { transactionHash: '0x01' } };
    Object.assign(fake.chain.bundler!, { receipt: () => Promise.resolve(receipt) });
    expect(await locate()).toEqual({ kind: 'nonce-used', blockNumber: 100n });
    fake.setReceipts({ node: false, bundler: false });
    await expectUnclear();
  });

  it('attack: nor does one that has the event and not yet the receipt', async () => {
    const { fake, include, expectUnclear } = await startSearch();
    include();
    const { rpc } = fake.chain;
    const readReceipt = rpc.getTransactionReceipt;
    rpc.getTransactionReceipt = () => readReceipt({ hash: '0x' });
    await expectUnclear();
  });

  it('behavior: a nonce that was used after the expiry proves that no block includes the operation', async () => {
    const { fake, nonce, locate } = await startSearch(100n);
    const { timestamp } = await fake.chain.rpc.getBlock();
    fake.mine(20n);
    fake.setTime(Number(timestamp) + 40);
    fake.incrementNonce(nonce);
    fake.setReceipts({ node: false, bundler: false });
    expect(await locate(Number(timestamp) + 11)).toEqual({ kind: 'nonce-used', blockNumber: 105n });
  });

  it('attack: a row that nothing decides does not read more logs as time passes', async () => {
    const { fake, nonce, locate } = await startSearch(100n);
    const { timestamp } = await fake.chain.rpc.getBlock();
    fake.incrementNonce(nonce);
    fake.setReceipts({ node: false, bundler: false });
    const asked: bigint[] = [];
    Object.assign(fake.chain.rpc, {
      getLogs: ({ fromBlock, toBlock }: Range) => {
        asked.push(toBlock - fromBlock);
        return Promise.resolve([]);
      },
    });
    const blocksRead = async () => {
      expect(await locate(Number(timestamp) + 600)).toEqual({ kind: 'unclear' });
      return asked.splice(0).reduce((sum, blocks) => sum + blocks, 0n);
    };
    for (const blocks of [400n, 100_000n]) {
      fake.mine(blocks);
      const { number } = await fake.chain.rpc.getBlock();
      fake.setTime(Number(timestamp) + 2 * Number(number - 100n));
      expect(await blocksRead()).toBeLessThan(330n);
    }
  });

  it('behavior: searches back from the last block that could include it', async () => {
    const { fake, include, locate } = await startSearch(undefined, 10n);
    include();
    const included = await fake.chain.rpc.getBlock();
    fake.mine(20_000n);
    fake.setTime(Number(included.timestamp) + 40_000);
    expect(await locate(Number(included.timestamp) + 11)).toMatchObject({ kind: 'included' });
    fake.setReceipts({ node: false, bundler: false });
    expect(await locate(Number(included.timestamp) + 60)).toEqual({ kind: 'unclear' });
  });

  it('attack: a reorganisation between two reads does not show that another operation used the nonce', async () => {
    for (let last = 1; last < 12; last++) {
      const { fake, include, locate } = await startSearch();
      include();
      fake.setLogsLag(true);
      const { rpc } = fake.chain;
      const readNonce = rpc.readContract;
      let reads = 0;
      rpc.readContract = (async (parameters) => {
        const next = await readNonce(parameters);
        if (++reads === last) fake.reorganise();
        return next;
      }) as typeof readNonce;
      expect([last, await locate()]).not.toMatchObject([last, { kind: 'nonce-used' }]);
    }
  });

  it('behavior: it stays unclear where the node has no state of the past', async () => {
    const { fake, include, expectUnclear } = await startSearch();
    include();
    fake.mine(64n);
    const { rpc } = fake.chain;
    const readNonce = rpc.readContract;
    let reads = 0;
    rpc.readContract = ((parameters) =>
      reads++ === 0
        ? readNonce(parameters)
        : Promise.reject(new Error('missing trie node'))) as typeof readNonce;
    await expectUnclear();
  });
});

describe('findInclusion', () => {
  const startFinding = async () => {
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
    const find = (seenIn?: Hex) =>
      findInclusion(intent, { sending: { kind: 'sent', since: 100n }, searchBlocks: 10n }, seenIn);
    const seenIn = keccak256(intent.userOpHash);
    return { asked, find, seenIn, include: () => fake.includeDirectly(request) };
  };

  it('default: one request, where the transaction was seen', async () => {
    const { asked, find, seenIn, include } = await startFinding();
    include();
    expect(await find(seenIn)).toMatchObject({ kind: 'included', inclusion: { blockNumber: 101n } });
    expect(asked).toEqual(['getTransactionReceipt']);
  });

  it('behavior: reads the nonce where the seen transaction was replaced', async () => {
    const { asked, find, seenIn } = await startFinding();
    expect(await find(seenIn)).toMatchObject({ kind: 'open', blockNumber: 100n });
    // The nonce counts in the block whose time or number counts.
    expect(asked).toEqual(['getTransactionReceipt', 'getBlock', 'readContract 100']);
  });
});
