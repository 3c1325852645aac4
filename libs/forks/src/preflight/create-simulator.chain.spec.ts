import { setTimeout as pause } from 'node:timers/promises';
import {
  ChainNotActiveError,
  ForkCapacityError,
  ForkNotRunningError,
  ForksNotConfiguredError,
  UpstreamUnavailableError,
} from '@yield-vault/protocol';
import { startFakeRpc, type FakeRpc } from '@yield-vault/testing';
import type { UserOperation } from '@yield-vault/protocol';
import { numberToHex, type Hex } from 'viem';
import { buildForkChain } from '../../test/support/build-fork-chain.js';
import { buildSimulator } from '../../test/support/build-simulator.js';
import { recordingLogger } from '../../test/support/recording-logger.js';
import { sender } from '../../test/support/calls.js';
import { forkPids } from '../../test/support/fork-pids.js';
import { startUpstream, type Upstream } from '../../test/support/start-upstream.js';
import { createForkManager } from '../server/create-fork-manager.js';
import type { Fork, ForkProvider } from '../types.js';
import type { Simulator } from './create-simulator.js';

jest.setTimeout(30_000);

const forever = () => new Promise<never>(() => undefined);
const operation: UserOperation = {
  ...{ sender, nonce: 0n, callData: '0x', signature: '0x' },
  ...{ callGasLimit: 1n, verificationGasLimit: 1n, preVerificationGas: 1n },
  ...{ maxFeePerGas: 1n, maxPriorityFeePerGas: 1n },
};
const userOpHash: Hex = numberToHex(1, { size: 32 });
const request = { chain: 'base', operation, userOpHash };

let upstream: Upstream;
let forks: ForkProvider;
let oldNode: FakeRpc;
let simulator: Simulator;

beforeAll(async () => {
  upstream = await startUpstream();
  forks = createForkManager({
    chains: [buildForkChain({ upstreamUrls: [upstream.rpcUrl] })],
    options: { maxForks: 8, idleSeconds: 900 },
    logger: recordingLogger(),
  });
  oldNode = await startFakeRpc({ eth_getBalance: () => '0x0' });
});
beforeEach(() => {
  simulator = buildSimulator(upstream.rpcUrl, { forks });
});
afterEach(async () => {
  await simulator.close();
  oldNode.setFault(undefined);
  expect(forkPids()).toEqual([]);
});
afterAll(async () => {
  await forks?.close();
  await oldNode?.stop();
  await upstream?.kill();
});

/** Wait until a simulation or fork is listed. */
async function listed(on = simulator) {
  for (;;) {
    const [first] = on.list();
    if (first) return first;
    await pause(1);
  }
}

describe('simulate', () => {
  it('default: the node runs it, and it is listed meanwhile', async () => {
    // The chain has no entry point.
    const simulating = simulator.simulate(request);
    expect(await listed()).toMatchObject({
      ...{ kind: 'ephemeral', backend: 'node', chain: 'base', chainId: 8453, status: 'running' },
    });
    expect(await simulating).toMatchObject({ backend: 'node', revertReason: 'NOT_EXECUTED' });
    expect(simulator.list()).toEqual([]);
  });

  it('behavior: without an endpoint that simulates, a fork of its own runs it', async () => {
    const onFork = buildSimulator(oldNode.rpcUrl, { forks });
    const simulating = onFork.simulate(request);
    expect(await listed(onFork)).toMatchObject({ kind: 'ephemeral', backend: 'anvil', status: 'running' });
    expect(await simulating).toMatchObject({ backend: 'anvil', revertReason: 'NOT_EXECUTED' });
    expect([onFork.list(), await forks.list()]).toEqual([[], []]);
    await onFork.close();
  });

  it('error: UpstreamUnavailableError where nothing can simulate, or a new fork would show another state', async () => {
    for (const options of [{}, { forks, canFork: () => false }]) {
      const unable = buildSimulator(oldNode.rpcUrl, options);
      await expect(unable.simulate(request)).rejects.toBeInstanceOf(UpstreamUnavailableError);
      await unable.close();
    }
  });

  it('error: a chain that is not known', async () => {
    await expect(simulator.simulate({ ...request, chain: 'gnosis' })).rejects.toBeInstanceOf(
      ChainNotActiveError,
    );
  });
});

describe('probe', () => {
  it('default: passes with an endpoint that simulates, or with a fork service', async () => {
    await simulator.probe();
    await buildSimulator(oldNode.rpcUrl, { forks }).probe();
  });

  it('error: ForksNotConfiguredError when a chain cannot be simulated at all', async () => {
    const error = buildSimulator(oldNode.rpcUrl).probe();
    await expect(error).rejects.toBeInstanceOf(ForksNotConfiguredError);
    await expect(error).rejects.toMatchObject({ details: { chain: 'base' } });
  });

  it('behavior: an endpoint that does not respond now may simulate later', async () => {
    oldNode.setFault('cut');
    await buildSimulator(oldNode.rpcUrl).probe();
  });
});

describe('simulate, on an Anvil fork', () => {
  /** A simulator whose node cannot simulate, and whose forks respond like this. */
  const onForks = (
    respond: (fork: Fork, method: string) => Promise<unknown>,
    limits?: Parameters<typeof buildSimulator>[2],
  ) => {
    const create: ForkProvider['create'] = async (...args) => {
      const fork = await forks.create(...args);
      return { ...fork, request: (method) => respond(fork, method) };
    };
    const destroy: ForkProvider['destroy'] = async (id) => {
      await pause(300);
      await forks.destroy(id);
    };
    return buildSimulator(oldNode.rpcUrl, { forks: { create, destroy } }, limits);
  };

  it('error: ForkNotRunningError after the deadline, and the fork is destroyed', async () => {
    const on = onForks(forever, { deadlineMs: 1_000 });
    await expect(on.simulate(request)).rejects.toBeInstanceOf(ForkNotRunningError);
    expect(await forks.list()).toEqual([]);
    await on.close();
  });

  it('error: ForkCapacityError when the queue is full, or the deadline passes in it', async () => {
    const on = onForks(forever, { concurrency: 1, queueLimit: 1, deadlineMs: 1_500 });
    const first = on.simulate(request).catch(() => undefined);
    // The deadline of the second passes while the fork of the first is destroyed.
    const isRefused = expect(on.simulate(request)).rejects.toBeInstanceOf(ForkCapacityError);
    expect(on.waiting()).toBe(1);
    await expect(on.simulate(request)).rejects.toBeInstanceOf(ForkCapacityError);
    await isRefused;
    await first;
    await on.close();
  });

  it('error: closed while it is used', async () => {
    const on = onForks(forever);
    const isOver = expect(on.simulate(request)).rejects.toBeInstanceOf(ForkNotRunningError);
    await listed(on);
    await on.close();
    await isOver;
    expect(await forks.list()).toEqual([]);
  });
});
