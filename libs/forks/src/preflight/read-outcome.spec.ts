import { canonical, entryPointV08Abi } from '@yield-vault/contracts';
import type { UserOperation } from '@yield-vault/protocol';
import {
  encodeAbiParameters,
  encodeErrorResult,
  encodeEventTopics,
  keccak256,
  parseAbi,
  type Address,
  type Hex,
} from 'viem';
import type { SimulatedCallResult } from './types.js';
import { readOutcome } from './read-outcome.js';

const entryPoint = canonical.entryPointV08;
const sender: Address = '0x00000000000000000000000000000000000000aa';
const userOpHash = keccak256('0x01');
const operation = { preVerificationGas: 50_000n, callGasLimit: 100_000n } as UserOperation;
const call = { from: sender, to: entryPoint, data: '0x', gas: 1_000_000n } as const;
const bundle = { entryPoint, operation, userOpHash, call };
const minSharesNotMet = encodeErrorResult({
  abi: parseAbi(['error MinSharesNotMet(uint256 minimum, uint256 actual)']),
  args: [2n, 1n],
});

type LogEntry = SimulatedCallResult['logs'][number];

const beforeExecution: LogEntry = {
  address: entryPoint,
  topics: encodeEventTopics({ abi: entryPointV08Abi, eventName: 'BeforeExecution' }) as [Hex],
  data: '0x',
};

function ended(success: boolean, parts: { hash?: Hex; address?: Address; gasUsed?: bigint } = {}): LogEntry {
  const { hash = userOpHash, address = entryPoint, gasUsed = 120_000n } = parts;
  const args = { userOpHash: hash, sender, paymaster: sender };
  return {
    address,
    topics: encodeEventTopics({ abi: entryPointV08Abi, eventName: 'UserOperationEvent', args }) as [Hex],
    data: encodeAbiParameters(
      [{ type: 'uint256' }, { type: 'bool' }, { type: 'uint256' }, { type: 'uint256' }],
      [0n, success, 1n, gasUsed],
    ),
  };
}

function reason(
  eventName: 'UserOperationRevertReason' | 'PostOpRevertReason' | 'UserOperationPrefundTooLow',
  revertReason?: Hex,
  hash = userOpHash,
): LogEntry {
  const topics = encodeEventTopics({ abi: entryPointV08Abi, eventName, args: { userOpHash: hash, sender } });
  const data = revertReason
    ? encodeAbiParameters([{ type: 'uint256' }, { type: 'bytes' }], [0n, revertReason])
    : encodeAbiParameters([{ type: 'uint256' }], [0n]);
  return { address: entryPoint, topics: topics as [Hex], data };
}

const read = (result: Partial<SimulatedCallResult>) =>
  readOutcome(bundle, { status: 'success', gasUsed: 200_000n, returnData: '0x', logs: [], ...result });
const after = (...logs: LogEntry[]) => read({ logs: [beforeExecution, ...logs] });
const refusal = (text: string, inner?: Hex): Hex =>
  inner === undefined
    ? encodeErrorResult({ abi: entryPointV08Abi, errorName: 'FailedOp', args: [0n, text] })
    : encodeErrorResult({ abi: entryPointV08Abi, errorName: 'FailedOpWithRevert', args: [0n, text, inner] });

describe('readOutcome', () => {
  it('default: success is the success of the event of this very operation', () => {
    expect(after(ended(true))).toEqual({ success: true, operationGasUsed: 120_000n });
  });

  it.each([
    ['nothing happened', []],
    ['it is the event of another operation', [ended(true, { hash: keccak256('0x02') })]],
    ['another contract says so', [ended(true, { address: sender })]],
  ])('attack: a bundle that succeeds is no success when %s', (_, logs) => {
    expect(after(...logs)).toMatchObject({ success: false, revertReason: 'NOT_EXECUTED' });
  });

  it('error: the reason of this call only', () => {
    const other = reason('UserOperationRevertReason', '0xdeadbeef', keccak256('0x02'));
    expect(after(other, reason('UserOperationRevertReason', minSharesNotMet), ended(false))).toEqual({
      success: false,
      revertReason: 'MinSharesNotMet',
      revertData: minSharesNotMet,
    });
  });

  it('error: AA50 when the paymaster fails afterwards, AA51 when the prefund was too low', () => {
    const wrapped = encodeErrorResult({
      abi: entryPointV08Abi,
      errorName: 'PostOpReverted',
      args: [minSharesNotMet],
    });
    expect(after(reason('PostOpRevertReason', wrapped), ended(false))).toMatchObject({
      aaCode: 'AA50',
      revertReason: 'MinSharesNotMet',
    });
    expect(after(reason('UserOperationPrefundTooLow'), ended(false))).toMatchObject({
      aaCode: 'AA51',
      revertReason: 'PREFUND_TOO_LOW',
    });
  });

  it('error: OUT_OF_GAS when a silent call used up its gas, else NO_REASON', () => {
    expect(after(ended(false, { gasUsed: 150_000n }))).toMatchObject({ revertReason: 'OUT_OF_GAS' });
    expect(after(ended(false, { gasUsed: 149_999n }))).toMatchObject({ revertReason: 'NO_REASON' });
    const spoken = reason('UserOperationRevertReason', minSharesNotMet);
    expect(after(spoken, ended(false, { gasUsed: 150_000n }))).toMatchObject({
      revertReason: 'MinSharesNotMet',
    });
  });

  it('error: a refusal of the entry point, with its code and inner reason', () => {
    const refused = (returnData: Hex) => read({ status: 'revert', returnData });
    const aa25 = refusal('AA25 invalid account nonce');
    expect(refused(aa25)).toEqual({
      success: false,
      revertReason: 'AA25 invalid account nonce',
      aaCode: 'AA25',
      revertData: aa25,
    });
    expect(refused(refusal('AA23 reverted', minSharesNotMet))).toMatchObject({
      revertReason: 'MinSharesNotMet',
      aaCode: 'AA23',
    });
    const foreign = refused('0xdeadbeef');
    expect(foreign).toEqual({ success: false, revertReason: '0xdeadbeef', revertData: '0xdeadbeef' });
  });

  it('error: a bundle that halts', () => {
    expect(read({ status: 'halt', gasUsed: 1_000_000n })).toMatchObject({ revertReason: 'OUT_OF_GAS' });
    expect(read({ status: 'halt', gasUsed: 999_999n })).toMatchObject({ revertReason: 'HALTED' });
  });
});
