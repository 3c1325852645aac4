import { delegationCode } from '@yield-vault/smart-account';
import { pad, parseEther, toHex, type Address, type Hex } from 'viem';
import { buildSimulation, readSimulation } from './simulate-v1.js';

import type { Fork } from '../types.js';

/** `silent`: the endpoint does not respond, or cannot read state now. */
export type ProbeResult = 'passed' | 'failed' | 'silent';

const sender: Address = '0x00000000000000000000000000000000005ca1e5';
// Returns time, base fee and slot 0 plus one, a word each. Stores the sum, and emits the words under topic 7.
const recorder: Address = '0x00000000000000000000000000000000005ca1e6';
const recorderCode: Hex = '0x426000524860205260005460010180600055604052600760606000a160606000f3';
/** An account that delegates to the recorder. */
const delegated: Address = '0x00000000000000000000000000000000005ca1e7';
// Reverts with the selector 0xaabbccdd.
const reverter: Address = '0x00000000000000000000000000000000005ca1e8';
const reverterCode: Hex = '0x63aabbccdd60e01b60005260046000fd';

// Later than the newest block of any node, whose clock may have been moved.
const aheadSeconds = 10 * 365 * 24 * 3_600;
const baseFeePerGas = 0x1234n;

/**
 * Find out whether an endpoint simulates correctly: a simulation with a known result tests the overrides of block, code,
 * storage, balance and delegation, and how the node reports returned values, logs and reverts.
 *
 * @param now - Unix milliseconds
 */
export async function probeEndpoint(send: Fork['request'], now: number): Promise<ProbeResult> {
  const time = BigInt(Math.floor(now / 1_000) + aheadSeconds);
  try {
    return isExpected(await send('eth_simulateV1', knownSimulation(time)), time) ? 'passed' : 'failed';
  } catch {
    // An error alone can mean that a node cannot simulate, or that it lacks state now.
    const readsState = await send('eth_getBalance', [sender, 'latest']).then(
      () => true,
      () => false,
    );
    return readsState ? 'failed' : 'silent';
  }
}

function knownSimulation(time: bigint): readonly unknown[] {
  const call = (to: Address) => ({
    from: sender,
    to,
    data: '0x' as const,
    gas: 200_000n,
    maxFeePerGas: baseFeePerGas,
    maxPriorityFeePerGas: 0n,
  });
  return buildSimulation(
    [recorder, recorder, delegated, reverter].map(call),
    {
      [sender]: { balance: parseEther('1') },
      [recorder]: { code: recorderCode, stateDiff: { '0x00': '0x29' } },
      [delegated]: { code: delegationCode(recorder), stateDiff: { '0x00': '0x06' } },
      [reverter]: { code: reverterCode },
    },
    { time, baseFeePerGas },
  );
}

function isExpected(response: unknown, time: bigint): boolean {
  let results;
  try {
    results = readSimulation(response);
  } catch {
    return false;
  }
  const words = (sum: number) =>
    `0x${[time, baseFeePerGas, BigInt(sum)].map((word) => pad(toHex(word)).slice(2)).join('')}`;
  const expected = [words(42), words(43), words(7)];
  const [reverted] = results.slice(3);
  return (
    results.length === 4 &&
    reverted?.status === 'revert' &&
    reverted.returnData === '0xaabbccdd' &&
    expected.every((data, index) => {
      const { status, returnData, logs = [] } = results[index] ?? {};
      const [log, ...others] = logs;
      return (
        status === 'success' &&
        returnData === data &&
        others.length === 0 &&
        log?.data === data &&
        log.topics.length === 1 &&
        BigInt(log.topics[0] ?? 0) === 7n
      );
    })
  );
}
