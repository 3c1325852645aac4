import { localVaultAbi, provisionLocalChain } from '@yield-vault/contracts/local';
import { ForksNotConfiguredError, PreflightSimulationError } from '@yield-vault/protocol';
import fc from 'fast-check';
import {
  encodeFunctionData,
  erc20Abi,
  erc4626Abi,
  hexToBigInt,
  numberToHex,
  maxUint256,
  parseEther,
  type Address,
  type Hex,
} from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { createAnvilLauncher } from '../../src/anvil/create-anvil-launcher.js';
import type { MeteredEphemeralForks } from '../../src/ephemeral/create-ephemeral-forks.js';
import { createForkManager } from '../../src/manager/create-fork-manager.js';
import type { ForkProvider } from '../../src/ports.js';
import type { ForkStrategy, SimulatedCall, SimulatedCallResult } from '../../src/types.js';
import { buildEphemeralForks, silentLogger } from '../support/build-ephemeral-forks.js';
import { buildForkChain } from '../support/build-fork-chain.js';
import { call, words } from '../support/calls.js';
import { startUpstream, type Upstream } from '../support/start-upstream.js';
import { deeds, planCalls, senders, usdc, vault } from './random-calls.js';
import { startCopy, type ChainCopy } from './start-copy.js';

const runs = 12;
const strategies: readonly ForkStrategy[] = ['overlay', 'process', 'upstream-simulate', 'managed'];

let upstream: Upstream;
let copy: ChainCopy;
let managed: ForkProvider;
let forks: MeteredEphemeralForks;

beforeAll(async () => {
  upstream = await startUpstream();
  const { operator } = upstream;
  await provisionLocalChain({ request: (wanted) => operator.request(wanted as never) }, 8453);
  await giveSenders();
  copy = await startCopy(await operator.dumpState());
  managed = createForkManager({
    launcher: createAnvilLauncher({ logger: silentLogger }),
    chains: [buildForkChain({ upstreamUrls: [upstream.rpcUrl] })],
    options: { maxForks: 8, maxAgeSeconds: null, idleSeconds: 900 },
    logger: silentLogger,
  });
  forks = buildEphemeralForks(upstream.rpcUrl, {}, { managed });
});
afterAll(async () => {
  await forks?.close();
  await managed?.close();
  await copy?.stop();
  await upstream?.kill();
});

const simulate = (strategy: ForkStrategy, calls: readonly SimulatedCall[]) =>
  forks.withEphemeralFork('base', async (fork) => (await fork.simulate({ calls })).calls, { strategy });
const normalise = (calls: readonly SimulatedCallResult[]) =>
  calls.map(({ status, gasUsed, returnData, logs }) => ({
    ...{ status, gasUsed, returnData },
    logs: logs.map(({ address, topics, data }) => ({ address: address.toLowerCase(), topics, data })),
  }));
const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('strategies of ephemeral forks', () => {
  it('default: random calls do the same everywhere, and as transactions of the chain', async () => {
    const head = await upstream.reader.getBlockNumber();
    await fc.assert(
      fc.asyncProperty(deeds, async (list) => {
        const { calls, codeSizes } = await planCalls(list, () => 0);
        const hasAuthorizations = calls.some(({ authorizationList }) => authorizationList);
        const expected = normalise(await copy.run(calls));
        for (const [index, size] of codeSizes) {
          expect(hexToBigInt(expected[index]?.returnData ?? '0x0')).toBe(size);
        }
        for (const strategy of strategies) {
          if (strategy === 'managed' && hasAuthorizations) continue; // Refused, see below.
          expect({ strategy, calls: normalise(await simulate(strategy, calls)) }).toEqual({
            strategy,
            calls: expected,
          });
        }
      }),
      { numRuns: runs },
    );
    expect(await upstream.reader.getBlockNumber()).toBe(head);
  });

  it.each(strategies)('error: %s refuses what could be part of no block', async (strategy) => {
    const [{ address: from }, { address: to }] = senders as [PrivateKeyAccount, PrivateKeyAccount];
    const error = await failureOf(simulate(strategy, [{ from, to, data: '0x', value: parseEther('101') }]));
    expect(error).toBeInstanceOf(PreflightSimulationError);
    expect(error).toMatchObject({ details: { revertReason: 'INSUFFICIENT_BALANCE' } });
  });
});

/** What cannot be the same everywhere. */
describe('strategies of ephemeral forks, inherent differences', () => {
  const look = call('environment');
  /** Block number of each call, counted from the newest block. */
  const blocksOf = async (strategy: ForkStrategy, calls: readonly SimulatedCall[]) => {
    const head = await upstream.reader.getBlockNumber();
    const results = await simulate(strategy, calls);
    return results.map(({ returnData }) => {
      const [, , number] = words(returnData);
      return number === undefined ? undefined : Number(number - head);
    });
  };
  const authorizing = async () => {
    const deed = {
      kind: 'authorize',
      from: 0,
      authority: 0,
      nonceOffset: 0,
      chainId: 8453,
      paysFees: false,
    } as const;
    return (await planCalls([deed], () => 0)).calls;
  };

  it.each(['overlay', 'process', 'upstream-simulate'] as const)(
    'default: %s runs the calls in one block',
    async (strategy) => {
      expect(await blocksOf(strategy, [look, look, look])).toEqual([1, 1, 1]);
    },
  );

  it('behavior: managed runs each call in a block of its own', async () => {
    const blocks = await blocksOf('managed', [look, look, look]);
    expect(new Set(blocks).size).toBe(3);
  });

  it('behavior: process begins another block after authorizations', async () => {
    const calls = [look, ...(await authorizing()), look];
    expect(await blocksOf('process', calls)).toEqual([1, undefined, 2]);
    expect(await blocksOf('overlay', calls)).toEqual([1, undefined, 1]);
  });

  it('error: managed takes no authorizations and no overrides beside balances', async () => {
    expect(await failureOf(simulate('managed', await authorizing()))).toBeInstanceOf(ForksNotConfiguredError);
    const overriding = forks.withEphemeralFork(
      'base',
      (fork) => fork.simulate({ calls: [look], stateOverrides: { [usdc]: { nonce: 7 } } }),
      { strategy: 'managed' },
    );
    expect(await failureOf(overriding)).toBeInstanceOf(ForksNotConfiguredError);
  });

  it('behavior: a call without fees sees no gas price where it is only simulated', async () => {
    const prices = await Promise.all(
      strategies.map(async (strategy) => {
        const [result] = await simulate(strategy, [look]);
        return [strategy, (words(result?.returnData)[1] ?? 0n) > 0n];
      }),
    );
    expect(Object.fromEntries(prices)).toEqual({
      overlay: false,
      process: true,
      'upstream-simulate': false,
      managed: true,
    });
  });
});

async function giveSenders(): Promise<void> {
  const { operator } = upstream;
  const request = (method: string, params: readonly unknown[]) =>
    operator.request({ method, params } as never);
  const send = async (from: Address, to: Address, data: Hex) => {
    const receipt = await request('eth_sendTransactionSync', [{ from, to, data }]);
    if ((receipt as { status: Hex }).status !== '0x1') throw new Error('a sender could not be prepared');
  };
  for (const { address } of senders) {
    await operator.impersonateAccount({ address });
    await operator.setBalance({ address, value: parseEther('100') });
    await request('anvil_dealERC20', [address, usdc, numberToHex(2_000_000_000n)]);
    const approval = { abi: erc20Abi, functionName: 'approve', args: [vault.address, maxUint256] } as const;
    await send(address, usdc, encodeFunctionData(approval));
    const deposit = { abi: erc4626Abi, functionName: 'deposit', args: [1_000_000_000n, address] } as const;
    await send(address, vault.address, encodeFunctionData(deposit));
    // Yield would make results depend on the second in which they came about.
    const stop = { abi: localVaultAbi, functionName: 'setRate', args: [0n] } as const;
    await send(address, vault.address, encodeFunctionData(stop));
    await operator.stopImpersonatingAccount({ address });
    await operator.setNonce({ address, nonce: 0 });
  }
  await operator.mine({ blocks: 1, interval: 60 });
}
