import { canonical, entryPointV08Abi } from '@yield-vault/contracts';
import { ForkCapacityError, UpstreamUnavailableError, type UserOperation } from '@yield-vault/protocol';
import { testAccount } from '@yield-vault/testing';
import {
  encodeAbiParameters,
  encodeErrorResult,
  encodeEventTopics,
  encodeFunctionResult,
  keccak256,
  multicall3Abi,
  numberToHex,
  pad,
  type Hex,
} from 'viem';
import { buildForkChain } from '../../test/support/build-fork-chain.js';
import type { EphemeralForks } from '../ports.js';
import type { EphemeralForkOptions, SimulatedCallResult, SimulationRequest } from '../types.js';
import { simulatedBundler } from './bundle-call.js';
import { simulateUserOperation } from './simulate-user-operation.js';

const chain = buildForkChain();
const sender = testAccount('owner').address;
const share = '0x00000000000000000000000000000000000000b2';
const userOpHash = keccak256('0x01');
const operation = {
  sender,
  nonce: 0n,
  callData: '0x',
  callGasLimit: 300_000n,
  verificationGasLimit: 100_000n,
  preVerificationGas: 50_000n,
  maxFeePerGas: 2n,
  maxPriorityFeePerGas: 1n,
  signature: '0x',
} as UserOperation;
const request = { chain: 'base', operation, userOpHash, tokens: [share], template: 'deposit:0xb2' } as const;

const refused = result('revert', {
  returnData: encodeErrorResult({
    abi: entryPointV08Abi,
    errorName: 'FailedOp',
    args: [0n, 'AA25 invalid account nonce'],
  }),
});
const executed = result('success', {
  logs: [
    {
      address: canonical.entryPointV08,
      topics: encodeEventTopics({
        abi: entryPointV08Abi,
        eventName: 'UserOperationEvent',
        args: { userOpHash, sender, paymaster: sender },
      }) as [Hex],
      data: encodeAbiParameters(
        [{ type: 'uint256' }, { type: 'bool' }, { type: 'uint256' }, { type: 'uint256' }],
        [0n, true, 1n, 120_000n],
      ),
    },
  ],
});

function result(status: SimulatedCallResult['status'], parts: Partial<SimulatedCallResult> = {}) {
  return { status, gasUsed: 200_000n, returnData: '0x' as Hex, logs: [], ...parts };
}

/** An answer of Multicall3; `undefined` for a token that does not tell. */
function balances(...amounts: readonly (bigint | undefined)[]): SimulatedCallResult {
  const results = amounts.map((amount) => ({
    success: amount !== undefined,
    returnData: amount === undefined ? ('0x' as const) : pad(numberToHex(amount)),
  }));
  const returnData = encodeFunctionResult({
    abi: multicall3Abi,
    functionName: 'aggregate3',
    result: results,
  });
  return result('success', { returnData });
}

/** Forks at a head that is as old as the last look at it, and what happens at each block. */
function fakeForks(outcomes: Readonly<Record<number, readonly SimulatedCallResult[]>>, newest: () => number) {
  let head = newest();
  const simulated: SimulationRequest[] = [];
  const looks: (number | undefined)[] = [];
  const forks = {
    async withEphemeralFork(_: string, use: (fork: never) => unknown, options?: EphemeralForkOptions) {
      looks.push(options?.maxHeadAgeMs);
      if (options?.maxHeadAgeMs === 0) head = newest();
      const block = { number: BigInt(head), hash: keccak256(numberToHex(head)), timestamp: 1n };
      return use({
        block,
        simulate(wanted: SimulationRequest) {
          simulated.push(wanted);
          return Promise.resolve({ block, strategy: 'overlay', calls: outcomes[Number(block.number)] });
        },
      } as never);
    },
  } as unknown as EphemeralForks;
  return { forks, simulated, looks };
}

describe('simulateUserOperation', () => {
  it('default: balances before, the bundle, balances after, in one block; only what changed is told', async () => {
    const { forks, simulated, looks } = fakeForks(
      { 7: [balances(5n, 100n, 0n), executed, balances(5n, 74n, 24n)] },
      () => 7,
    );
    expect(await simulateUserOperation(forks, chain, request)).toEqual({
      success: true,
      block: { number: 7n, hash: keccak256('0x07'), timestamp: 1n },
      strategy: 'overlay',
      gasUsed: 200_000n,
      operationGasUsed: 120_000n,
      balanceChanges: [
        { token: chain.usdc.address, change: -26n },
        { token: share, change: 24n },
      ],
    });
    const [{ calls = [], stateOverrides = {} } = {}] = simulated;
    expect(calls.map(({ from, to }) => [from, to])).toEqual([
      [simulatedBundler, canonical.multicall3],
      [simulatedBundler, chain.entryPoint],
      [simulatedBundler, canonical.multicall3],
    ]);
    expect(Object.keys(stateOverrides)).toEqual([simulatedBundler]);
    expect(calls[1]?.gas).toBeGreaterThan(450_000n);
    expect(looks).toHaveLength(1);
  });

  it.each([
    ['too few', [executed, balances(5n)]],
    ['too many', [executed, executed, executed, executed]],
    ['none', []],
  ])('error: UpstreamUnavailableError for %s results, whatever they say', async (_, results) => {
    const { forks } = fakeForks({ 7: results }, () => 7);
    await expect(simulateUserOperation(forks, chain, request)).rejects.toThrow(UpstreamUnavailableError);
  });

  it('behavior: a token that does not tell, and a chain without Multicall3, hinder nothing', async () => {
    const mute = fakeForks(
      { 7: [balances(5n, 100n, undefined), executed, balances(4n, 90n, undefined)] },
      () => 7,
    );
    expect(await simulateUserOperation(mute.forks, chain, request)).toMatchObject({
      balanceChanges: [
        { token: null, change: -1n },
        { token: chain.usdc.address, change: -10n },
      ],
    });
    const bare = fakeForks({ 7: [result('success'), executed, result('success')] }, () => 7);
    expect(await simulateUserOperation(bare.forks, chain, request)).toMatchObject({
      success: true,
      balanceChanges: [],
    });
  });

  it('behavior: what fails on an old head is tried on the newest one', async () => {
    let newest = 7;
    const { forks, looks } = fakeForks(
      {
        7: [balances(5n, 100n, 0n), refused, balances(5n, 100n, 0n)],
        8: [balances(5n, 100n, 0n), executed, balances(5n, 74n, 24n)],
      },
      () => newest,
    );
    newest = 8;
    expect(await simulateUserOperation(forks, chain, request)).toMatchObject({
      success: true,
      block: { number: 8n },
    });
    expect(looks).toEqual([undefined, 0]);
  });

  it('behavior: a failure on the newest head is not tried again', async () => {
    const { forks, simulated } = fakeForks({ 7: [result('success'), refused, result('success')] }, () => 7);
    expect(await simulateUserOperation(forks, chain, request)).toMatchObject({
      success: false,
      aaCode: 'AA25',
      block: { number: 7n },
    });
    expect(simulated).toHaveLength(1);
  });

  it('error: an outage at the second look is an outage, never the first verdict', async () => {
    const { forks } = fakeForks({ 7: [result('success'), refused, result('success')] }, () => 7);
    const { withEphemeralFork } = forks;
    let looks = 0;
    forks.withEphemeralFork = (key, use, options) =>
      looks++ === 0
        ? withEphemeralFork(key, use, options)
        : Promise.reject(new ForkCapacityError({ detail: 'The queue is full.' }));
    await expect(simulateUserOperation(forks, chain, request)).rejects.toBeInstanceOf(ForkCapacityError);
  });
});
