import { solidityPacked } from 'ethers';
import fc from 'fast-check';
import { maxUint256, size, slice, type Hex } from 'viem';
import { callVectors } from '../test/vectors.js';
import { MalformedHooksError } from './errors.js';
import type { ExecutorHook } from './executor-hook.js';
import { decodeExecutorHooks, encodeExecutorHooks, maxHooks } from './executor-hooks.js';

const vault = '0x1111111111111111111111111111111111111111';
const token = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const deposit = { hook: 'deposit', vault, token, amount: 5n, minShares: 4n } as const;
const approve = { hook: 'approve', spender: vault, token, amount: 1n } as const;

function packedByEthers(hook: ExecutorHook): Hex {
  if (hook.hook === 'approve') {
    const values = [3, hook.spender, hook.token, hook.amount];
    return solidityPacked(['uint8', 'address', 'address', 'uint256'], values) as Hex;
  }
  const types = ['uint8', 'address', 'address', 'uint256', 'uint256'];
  const values =
    hook.hook === 'deposit'
      ? [
          hook.keepOne ? 0x81 : 1,
          hook.vault,
          hook.token,
          hook.amount === 'previous' ? maxUint256 : hook.amount,
          hook.minShares,
        ]
      : [2, hook.vault, hook.token, hook.shares === 'all' ? maxUint256 : hook.shares, hook.minAssets];
  return solidityPacked(types, values) as Hex;
}

const uint = fc.bigInt(0n, maxUint256 - 1n);
const address = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((b) => `0x${Buffer.from(b).toString('hex')}` as Hex);
const minimum = fc.bigInt(1n, maxUint256);
const hook: fc.Arbitrary<ExecutorHook> = fc.oneof(
  fc.record(
    {
      hook: fc.constant('deposit' as const),
      vault: address,
      token: address,
      amount: fc.oneof(uint, fc.constant('previous' as const)),
      minShares: minimum,
      keepOne: fc.constant(true as const),
    },
    { requiredKeys: ['hook', 'vault', 'token', 'amount', 'minShares'] },
  ),
  fc.record({
    hook: fc.constant('redeem' as const),
    vault: address,
    token: address,
    shares: fc.oneof(uint, fc.constant('all' as const)),
    minAssets: minimum,
  }),
  fc.record({
    hook: fc.constant('approve' as const),
    spender: address,
    token: address,
    amount: fc.bigInt(0n, maxUint256),
  }),
);

describe('executor hooks', () => {
  it.each(callVectors)('default: $name', ({ hooks, entries }) => {
    expect(encodeExecutorHooks(hooks)).toBe(entries);
    expect(decodeExecutorHooks(entries)).toEqual(hooks);
  });

  it('behavior: ethers packs every hook the same way, and decoding gives it back', () => {
    fc.assert(
      fc.property(fc.array(hook, { minLength: 1, maxLength: maxHooks }), (hooks) => {
        const entries = encodeExecutorHooks(hooks);
        expect(entries).toBe(`0x${hooks.map((h) => packedByEthers(h).slice(2)).join('')}`);
        expect(encodeExecutorHooks(decodeExecutorHooks(entries))).toBe(entries);
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    ['no hook', []],
    ['nine hooks', Array.from({ length: 9 }, () => approve)],
    ['a minimum of zero', [{ ...deposit, minShares: 0n }]],
    ['a number that is too large', [{ ...deposit, minShares: maxUint256 + 1n }]],
    ['a negative number', [{ ...approve, amount: -1n }]],
    ['the sentinel as an amount', [{ ...deposit, amount: maxUint256 }]],
  ])('error: MalformedHooksError when encoding %s', (_, hooks) => {
    expect(() => encodeExecutorHooks(hooks)).toThrow(MalformedHooksError);
  });

  const one = encodeExecutorHooks([deposit]);
  it.each<[string, Hex]>([
    ['nothing', '0x'],
    ['a cut record', slice(one, 0, size(one) - 1)],
    ['a byte too many', `${one}00`],
    ['hook 0', `0x00${one.slice(4)}`],
    ['hook 4', `0x04${one.slice(4)}`],
    ['a redeem that keeps one', `0x82${one.slice(4)}`],
    ['nine records', `0x${encodeExecutorHooks([approve]).slice(2).repeat(9)}`],
    ['a minimum of zero', `${one.slice(0, -64)}${'0'.repeat(64)}` as Hex],
  ])('error: MalformedHooksError when decoding %s', (_, entries) => {
    expect(() => decodeExecutorHooks(entries)).toThrow(MalformedHooksError);
  });
});
