import { AbiCoder, Interface, ZeroHash } from 'ethers';
import { concat, maxUint256, maxUint64, numberToHex, type Address, type Hex } from 'viem';
import { callVectors, nonceKeyVector } from '../test/vectors.js';
import { decodeAccountCall, encodeAccountCall, nonceKey, splitNonce } from './account-call.js';
import { CallDataNotAllowedError } from './errors.js';

const account = new Interface([
  'function runHooks(bytes entries)',
  'function execute(bytes32 mode, bytes executionCalldata)',
  'function executeFromExecutor(bytes32 mode, bytes executionCalldata)',
  'function installModule(uint256 moduleTypeId, address module, bytes initData)',
]);
const { callData, entries, hooks } = callVectors[0]!;
const selector = callData.slice(0, 10) as Hex;
const aModule = '0x00000000000000000000000000000000000000e1';

const call = (bytes: string) => account.encodeFunctionData('runHooks', [bytes]) as Hex;

/** Encode the entries behind a gap of unused words: valid ABI, not canonical. */
function withGap(): Hex {
  const tail = AbiCoder.defaultAbiCoder().encode(['bytes'], [entries]);
  const offset = numberToHex(64, { size: 32 });
  return concat([selector, offset, numberToHex(0xbad, { size: 32 }), `0x${tail.slice(66)}`]);
}

describe('account call', () => {
  it.each(callVectors)('default: $name', (vector) => {
    expect(encodeAccountCall(vector.hooks)).toBe(vector.callData);
    expect(decodeAccountCall(vector.callData)).toEqual(vector.hooks);
  });

  it.each(callVectors)('behavior: ethers encodes the same call: $name', (vector) => {
    expect(call(vector.entries)).toBe(vector.callData);
  });

  it('behavior: upper-case hex is the same call', () => {
    expect(decodeAccountCall(`0x${callData.slice(2).toUpperCase()}`)).toEqual(hooks);
  });

  it.each<[string, string]>([
    ['nothing', '0x'],
    ['a selector alone', selector],
    ['an unknown selector', `0xdeadbeef${callData.slice(10)}`],
    ['another function of the account', account.encodeFunctionData('installModule', [1, aModule, '0x'])],
    ['an execution', account.encodeFunctionData('execute', [ZeroHash, entries])],
    ['the function for executors', account.encodeFunctionData('executeFromExecutor', [ZeroHash, entries])],
    ['an unknown hook', call(`0x09${entries.slice(4)}`)],
    ['no hooks', call('0x')],
    ['nine hooks', call(`0x${`03${'00'.repeat(72)}`.repeat(9)}`)],
    ['bytes behind the end', `${callData}00`],
    ['a word behind the end', `${callData}${'00'.repeat(32)}`],
    ['dirty padding', `${callData.slice(0, -2)}01`],
    ['other offsets', withGap()],
    ['a cut end', callData.slice(0, -64)],
  ])('error: CallDataNotAllowedError for %s', (_, tampered) => {
    expect(() => decodeAccountCall(tampered as Hex)).toThrow(CallDataNotAllowedError);
  });

  it('behavior: the gap itself is valid ABI, only not canonical', () => {
    expect(account.decodeFunctionData('runHooks', withGap())[0]).toBe(entries);
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
