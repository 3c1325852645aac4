import { UpstreamUnavailableError } from '@yield-vault/protocol';
import { RpcFailure, startFakeRpc, type FakeRpc } from '@yield-vault/testing';
import { recordingLogger } from '../../test/support/recording-logger.js';
import { startUpstream, type Upstream } from '../../test/support/start-upstream.js';
import { createEndpoints, type Endpoints } from './create-endpoints.js';

let node: Upstream;
/** Passes requests on to the node by default. */
let copy: FakeRpc;
let simulate: (parameters: readonly unknown[]) => unknown;
let time: number;

const forward = async (method: string, params: readonly unknown[]): Promise<unknown> =>
  node.reader.request({ method, params } as never);
const noMethod = () => {
  throw new RpcFailure(-32601, 'the method eth_simulateV1 does not exist');
};
type Block = { calls: { returnData: string; logs: unknown[] }[] };
/** Change the node's response to the probe. */
const altered = (change: (block: Block) => void) => async (parameters: readonly unknown[]) => {
  const [block] = (await forward('eth_simulateV1', parameters)) as [Block];
  change(block);
  return [block];
};
type Parameters = readonly [{ blockStateCalls: [{ blockOverrides: { time: string } }] }, string];
const withoutBaseFee = (parameters: readonly unknown[]) => {
  const [{ blockStateCalls }, at] = parameters as Parameters;
  const [{ blockOverrides, ...rest }] = blockStateCalls;
  const block = { ...rest, blockOverrides: { time: blockOverrides.time } };
  return forward('eth_simulateV1', [{ blockStateCalls: [block] }, at]);
};
const endpointsOf = (...upstreamUrls: readonly string[]): Endpoints =>
  createEndpoints({
    chain: { key: 'base', upstreamUrls },
    deadlineMs: 2_000,
    logger: recordingLogger(),
    now: () => time,
  });
const noCalls = [{ blockStateCalls: [{ calls: [] }] }, 'latest'];

beforeAll(async () => {
  node = await startUpstream();
});
beforeEach(async () => {
  time = Date.now();
  simulate = (parameters) => forward('eth_simulateV1', parameters);
  copy = await startFakeRpc({
    eth_simulateV1: (parameters) => simulate(parameters),
    eth_getBalance: (parameters) => forward('eth_getBalance', parameters),
  });
});
afterEach(() => copy.stop());
afterAll(() => node.kill());

describe('createEndpoints', () => {
  it('default: Anvil passes the probe, and simulates', async () => {
    const endpoints = endpointsOf(node.rpcUrl);
    expect(await endpoints.canSimulate()).toBe(true);
    expect(await endpoints.send(noCalls)).toMatchObject([{ calls: [] }]);
  });

  it('behavior: each endpoint is probed once, and simulations go to the first that passes', async () => {
    simulate = noMethod;
    const endpoints = endpointsOf(copy.rpcUrl, node.rpcUrl);
    expect(await endpoints.probe()).toEqual(['failed', 'passed']);
    const before = copy.calls.length;
    expect(await endpoints.probe()).toEqual(['failed', 'passed']);
    expect(await endpoints.canSimulate()).toBe(true);
    await endpoints.send(noCalls);
    expect(copy.calls).toHaveLength(before);
  });

  it.each<[string, (parameters: readonly unknown[]) => unknown]>([
    ['that lacks the method', noMethod],
    ['whose response has another form', () => ({})],
    ['that returns wrong values', altered(({ calls }) => (calls[0]!.returnData = `0x${'0'.repeat(192)}`))],
    ['that leaves out events', altered(({ calls }) => (calls[1]!.logs = []))],
    ['that leaves out revert data', altered(({ calls }) => (calls[3]!.returnData = '0x'))],
    ['that ignores the base fee', withoutBaseFee],
  ])('error: an endpoint %s fails the probe', async (_, response) => {
    simulate = response;
    expect(await endpointsOf(copy.rpcUrl).probe()).toEqual(['failed']);
  });

  it('behavior: an endpoint that cannot read state now is probed again at the next use', async () => {
    const endpoints = endpointsOf(copy.rpcUrl);
    copy.setFault('cut');
    expect(await endpoints.canSimulate()).toBe(false);
    copy.setFault(undefined);
    expect(await endpoints.canSimulate()).toBe(true);
  });

  it('behavior: a failed endpoint is probed again after a minute', async () => {
    simulate = noMethod;
    const endpoints = endpointsOf(copy.rpcUrl);
    expect(await endpoints.canSimulate()).toBe(false);
    simulate = (parameters) => forward('eth_simulateV1', parameters);
    expect(await endpoints.canSimulate()).toBe(false);
    time += 60_000;
    expect(await endpoints.canSimulate()).toBe(true);
  });

  it('behavior: the next endpoint is used when one does not respond, or cannot read state', async () => {
    const endpoints = endpointsOf(copy.rpcUrl, node.rpcUrl);
    await endpoints.probe();
    copy.setFault('http-500');
    expect(await endpoints.send(noCalls)).toMatchObject([{ calls: [] }]);
    copy.setFault(undefined);
    simulate = () => {
      throw new RpcFailure(-32000, 'missing trie node');
    };
    expect(await endpoints.send(noCalls)).toMatchObject([{ calls: [] }]);
  });

  it('error: a refusal of the node is its response; an outage is UpstreamUnavailableError', async () => {
    const endpoints = endpointsOf(copy.rpcUrl);
    await expect(endpoints.send(noCalls)).rejects.toBeInstanceOf(UpstreamUnavailableError);
    await endpoints.probe();
    simulate = () => {
      throw new RpcFailure(-38014, 'insufficient funds');
    };
    await expect(endpoints.send(noCalls)).rejects.toMatchObject({ code: -38014 });
    copy.setFault('cut');
    await expect(endpoints.send(noCalls)).rejects.toBeInstanceOf(UpstreamUnavailableError);
  });
});
