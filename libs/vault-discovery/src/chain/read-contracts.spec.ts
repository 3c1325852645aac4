import { isMissingState } from '@yield-vault/chains';
import { type FakeRpc, RpcFailure, startFakeRpc } from '@yield-vault/testing';
import { createPublicClient, type Hex, http } from 'viem';
import { aggregate, readsIn } from '../../test/aggregate.js';
import { type Read, readBatches, toBatches } from './read-contracts.js';

const target = '0x3000000000000000000000000000000000000003';
const reads = Array.from({ length: 10 }, (_, index): Read => ({ target, callData: `0x0${index}` }));

let node: FakeRpc;
/** Sizes of the batches that were asked for. */
let sizes: number[];
const handlers: Record<string, (params: readonly unknown[]) => unknown> = {};

/** Returns the call data of each read. */
function respond([call]: readonly unknown[]): Hex {
  const { data } = call as { data: Hex };
  sizes.push(readsIn(data).length);
  return aggregate(data, ({ callData }) => (callData === '0x03' ? { revertData: callData } : callData));
}

beforeAll(async () => {
  node = await startFakeRpc(handlers as never);
});
afterAll(() => node.stop());
beforeEach(() => {
  sizes = [];
  handlers['eth_call'] = respond;
});

const client = () => createPublicClient({ transport: http(node.rpcUrl, { retryCount: 0 }) });
const read = (list: readonly Read[], batchSize = 100) => readBatches(client(), toBatches(list, batchSize));

describe('readBatches', () => {
  it('default: one call, results in order, undefined where a read reverted', async () => {
    expect(await read(reads)).toEqual(
      reads.map(({ callData }) => (callData === '0x03' ? undefined : callData)),
    );
    expect(sizes).toEqual([10]);
  });

  it('behavior: batches of the size given', async () => {
    expect(await read(reads, 4)).toHaveLength(10);
    expect(sizes.sort()).toEqual([2, 4, 4]);
  });

  it('behavior: the gas of a call covers one costly read and the usual cost of the others, within the limit of nodes', async () => {
    const before = node.calls.length;
    await readBatches(client(), [...toBatches(reads, 1).slice(0, 1), ...toBatches(reads, 10)]);
    await readBatches(client(), toBatches(Array.from({ length: 20 }, () => reads).flat()));
    const gas = node.calls.slice(before).map(({ params: [call] }) => Number((call as { gas: Hex }).gas));
    expect(gas).toEqual([11_000_000, 13_250_000, 50_000_000]);
  });

  it.each([
    [-32_603, 'EVM error OutOfGas'],
    [-32_000, 'gas required exceeds allowance (50000000)'],
    [-32_000, 'execution aborted (timeout = 5s)'],
    [-32_000, 'response size exceeded the limit'],
  ])('behavior: %s %s is a refusal, which is halved around', async (code, message) => {
    handlers['eth_call'] = (params) => {
      const response = respond(params);
      if (sizes.at(-1)! > 3) throw new RpcFailure(code, message);
      return response;
    };
    expect(await read(reads.slice(0, 3).concat(reads.slice(4, 7)))).not.toContain(undefined);
    expect(sizes.sort()).toEqual([3, 3, 6]);
  });

  it('behavior: a node that words a refusal as a revert of its own is halved around too', async () => {
    handlers['eth_call'] = (params) => {
      const response = respond(params);
      if (sizes.at(-1) === 2) throw new RpcFailure(-32_015, 'VM execution error: Reverted 0x');
      return response;
    };
    expect(await read(reads.slice(0, 2))).toEqual(['0x00', '0x01']);
  });

  it('behavior: before Multicall3 existed nothing responds', async () => {
    handlers['eth_call'] = () => '0x';
    expect(await read(reads.slice(0, 2))).toEqual([undefined, undefined]);
  });

  it('behavior: nothing to read asks nothing', async () => {
    expect(await read([])).toEqual([]);
    expect(sizes).toEqual([]);
  });

  it('error: a node without the state of the block is reported apart', async () => {
    handlers['eth_call'] = () => {
      throw new RpcFailure(-32_000, 'missing trie node 1234 (path )');
    };
    const error: unknown = await read(reads).catch((thrown: unknown) => thrown);
    expect(isMissingState(error)).toBe(true);
  });

  it('error: an outage is thrown, not taken for a response', async () => {
    node.setFault('http-500');
    const error: unknown = await read(reads).catch((thrown: unknown) => thrown);
    node.setFault(undefined);
    expect(error).toBeInstanceOf(Error);
    expect(isMissingState(error)).toBe(false);
  });
});
