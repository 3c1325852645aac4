import { startAnvil } from '@yield-vault/anvil';
import { createEphemeralForks, type EphemeralLimits, type MeteredEphemeralForks } from '@yield-vault/forks';
import { createTestClient, hexToBigInt, http, numberToHex, pad, type Address, type Hex } from 'viem';

/** A chain with two contracts, which is forked. */
export interface ChaosChain {
  readonly rpcUrl: string;
  mine(): Promise<void>;
  stop(): Promise<void>;
}

const chainKey = 'base';
const chainId = 8453;
const silent = { info() {}, warn() {}, error() {} };
const sender: Address = '0x00000000000000000000000000000000000000a1';
// Adds the call data to slot 0 and returns the sum.
const counter: Address = '0x00000000000000000000000000000000000c0001';
const counterCode: Hex = '0x60003560005401806000556000526020600060206000f3';
// Runs until its gas is used up.
const loop: Address = '0x00000000000000000000000000000000000c0005';
const loopCode: Hex = '0x5b600056';
const counterStart = 1_000n;

/** Start the chain. */
export async function startChaosChain(): Promise<ChaosChain> {
  const anvil = await startAnvil({ args: ['--chain-id', String(chainId)] });
  const operator = createTestClient({ mode: 'anvil', transport: http(anvil.rpcUrl) });
  await operator.setCode({ address: counter, bytecode: counterCode });
  await operator.setCode({ address: loop, bytecode: loopCode });
  await operator.setStorageAt({
    address: counter,
    index: pad('0x0'),
    value: pad(numberToHex(counterStart)),
  });
  await operator.mine({ blocks: 3 });
  return { rpcUrl: anvil.rpcUrl, mine: () => operator.mine({ blocks: 1 }), stop: anvil.kill };
}

/** Open the ephemeral forks of a chain, the newest block of which is asked for every time. */
export function openForks(upstreamUrl: string, limits: Partial<EphemeralLimits> = {}): MeteredEphemeralForks {
  return createEphemeralForks({
    chains: [{ key: chainKey, chainId, opStack: true, upstreamUrls: [upstreamUrl], maxHeadAgeMs: 0 }],
    options: {
      strategy: 'overlay',
      concurrency: 16,
      queueLimit: 64,
      deadlineMs: 15_000,
      maxForks: 32,
      shadowFraction: 0,
      ...limits,
    },
    logger: silent,
  });
}

/**
 * Simulate an addition.
 *
 * @param work - calls that keep a processor busy before it, some 50 ms each
 * @returns whether the result is the right one
 */
export async function simulateAddition(
  forks: MeteredEphemeralForks,
  addend: bigint,
  { work = 0, strategy }: { readonly work?: number; readonly strategy?: EphemeralLimits['strategy'] } = {},
): Promise<boolean> {
  const busy = Array.from({ length: work }, () => ({ from: sender, to: loop, data: '0x' as const }));
  const addition = { from: sender, to: counter, data: pad(numberToHex(addend)) };
  const { calls } = await forks.withEphemeralFork(
    chainKey,
    (fork) => fork.simulate({ calls: [...busy, addition], template: 'addition' }),
    { strategy },
  );
  const last = calls.at(-1);
  return last?.status === 'success' && hexToBigInt(last.returnData) === counterStart + addend;
}
