import { AbiCoder, Interface, solidityPacked, ZeroHash } from 'ethers';
import { concat, maxUint256, maxUint64, numberToHex, pad, zeroAddress, type Address, type Hex } from 'viem';
import { callVectors, executor, nonceKeyVector } from '../test/vectors.js';
import { decodeAccountCall, encodeAccountCall, nonceKey, splitNonce } from './account-call.js';
import { CallDataNotAllowedError } from './errors.js';

const account = new Interface([
  'function execute(bytes32 mode, bytes executionCalldata)',
  'function installModule(uint256 moduleTypeId, address module, bytes initData)',
  'function executeFromExecutor(bytes32 mode, bytes executionCalldata)',
]);
const executorAbi = new Interface(['function execute(bytes entries)']);
const { callData, entries, hooks } = callVectors[0]!;

const batchMode = pad('0x01', { dir: 'right', size: 32 });
const tryMode = pad('0x0001', { dir: 'right', size: 32 });
const delegateMode = pad('0xff', { dir: 'right', size: 32 });
const inner = (bytes = entries) => executorAbi.encodeFunctionData('execute', [bytes]) as Hex;
const single = (target: string, value: bigint, call: Hex) =>
  solidityPacked(['address', 'uint256', 'bytes'], [target, value, call]) as Hex;
const outer = (execution: Hex, mode: string = ZeroHash) =>
  account.encodeFunctionData('execute', [mode, execution]) as Hex;

/** Encode a `bytes` argument behind a gap of unused words: valid ABI, not canonical. */
const withGap = (selector: Hex, head: readonly Hex[], bytes: Hex) => {
  const tail = AbiCoder.defaultAbiCoder().encode(['bytes'], [bytes]) as Hex;
  const offset = numberToHex(head.length * 32 + 64, { size: 32 });
  return concat([selector, ...head, offset, numberToHex(0xbad, { size: 32 }), `0x${tail.slice(66)}`]);
};

describe('account call', () => {
  it.each(callVectors)('default: $name', (vector) => {
    expect(encodeAccountCall(executor, vector.hooks)).toBe(vector.callData);
    expect(decodeAccountCall(vector.callData, executor)).toEqual(vector.hooks);
  });

  it.each(callVectors)('behavior: ethers encodes the same call: $name', (vector) => {
    expect(outer(single(executor, 0n, inner(vector.entries)))).toBe(vector.callData);
  });

  it('behavior: upper-case hex is the same call', () => {
    expect(decodeAccountCall(`0x${callData.slice(2).toUpperCase()}`, executor)).toEqual(hooks);
  });

  it.each<[string, Hex]>([
    ['nothing', '0x'],
    ['a selector alone', callData.slice(0, 10) as Hex],
    [
      'another function of the account',
      account.encodeFunctionData('installModule', [1, executor, '0x']) as Hex,
    ],
    [
      'the function for executors',
      account.encodeFunctionData('executeFromExecutor', [ZeroHash, '0x']) as Hex,
    ],
    ['an unknown selector', `0xdeadbeef${callData.slice(10)}`],
    ['a batch', outer(single(executor, 0n, inner()), batchMode)],
    ['a call that may fail', outer(single(executor, 0n, inner()), tryMode)],
    ['a delegate call', outer(single(executor, 0n, inner()), delegateMode)],
    ['a value', outer(single(executor, 1n, inner()))],
    ['another target', outer(single(zeroAddress, 0n, inner()))],
    ['a target alone', outer(executor)],
    ['no call of the target', outer(single(executor, 0n, '0x'))],
    ['another function of the executor', outer(single(executor, 0n, `0xdeadbeef${inner().slice(10)}`))],
    ['an unknown hook', outer(single(executor, 0n, inner(`0x09${entries.slice(4)}`)))],
    ['no hooks', outer(single(executor, 0n, inner('0x')))],
    ['nine hooks', outer(single(executor, 0n, inner(`0x${`03${'00'.repeat(32)}`.repeat(9)}`)))],
    ['bytes behind the end', `${callData}00`],
    ['a word behind the end', `${callData}${'00'.repeat(32)}`],
    ['bytes behind the end of the inner call', outer(single(executor, 0n, `${inner()}00`))],
    ['dirty padding', `${callData.slice(0, -2)}01` as Hex],
    ['dirty padding of the inner call', outer(single(executor, 0n, `${inner().slice(0, -2)}01` as Hex))],
    [
      'other offsets',
      withGap(callData.slice(0, 10) as Hex, [ZeroHash as Hex], single(executor, 0n, inner())),
    ],
    [
      'other offsets in the inner call',
      outer(single(executor, 0n, withGap(inner().slice(0, 10) as Hex, [], entries))),
    ],
    ['a cut end', callData.slice(0, -64) as Hex],
  ])('error: CallDataNotAllowedError for %s', (_, tampered) => {
    expect(() => decodeAccountCall(tampered, executor)).toThrow(CallDataNotAllowedError);
  });

  it('behavior: the gap itself is valid ABI, only not canonical', () => {
    const gapped = withGap(callData.slice(0, 10) as Hex, [ZeroHash as Hex], single(executor, 0n, inner()));
    expect(account.decodeFunctionData('execute', gapped)[1]).toBe(single(executor, 0n, inner()));
  });
});

it('nonceKey', () => {
  expect(nonceKey(nonceKeyVector.validator as Address).toString()).toBe(nonceKeyVector.key);
});

it('splitNonce', () => {
  const key = nonceKey(nonceKeyVector.validator as Address);
  expect(splitNonce((key << 64n) | 7n)).toEqual({ key, sequence: 7n });
  expect(splitNonce(maxUint64)).toEqual({ key: 0n, sequence: maxUint64 });
  expect(splitNonce(maxUint256)).toEqual({ key: 2n ** 192n - 1n, sequence: maxUint64 });
});
