import { walletContracts } from '@yield-vault/contracts';
import { Interface } from 'ethers';
import type { Hex } from 'viem';
import { decodeRouterCall, encodeRouterCalls, type RouterOperation } from './router-calls.js';

const abi = new Interface([
  'function approve(address, uint256)',
  'function deposit(address vault, address token, uint256 assets, uint256 minShares)',
  'function redeem(address vault, address token, uint256 shares, uint256 minAssets)',
]);
const { router } = walletContracts;
const [vault, token] = [
  '0x4791cb70E233BD6120b81e1dB416589E38B1843C',
  '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
] as const;
const cases: readonly (readonly [RouterOperation, selector: Hex])[] = [
  [{ operation: 'deposit', vault, token, amount: 25_000_000n, minOut: 24_000_000n }, '0x20e8c565'],
  [{ operation: 'redeem', vault, token, amount: 2n ** 200n, minOut: 1n }, '0x4be47418'],
];

describe('router calls', () => {
  it.each(cases)('default: ethers encodes the same: %j', (operation, selector) => {
    const { amount, minOut } = operation;
    const spent = operation.operation === 'deposit' ? token : vault;
    const data = abi.encodeFunctionData(operation.operation, [vault, token, amount, minOut]);
    expect(data.slice(0, 10)).toBe(selector);
    const approval = (allowance: bigint) => ({
      to: spent,
      data: abi.encodeFunctionData('approve', [router, allowance]),
    });
    expect(encodeRouterCalls(operation, false)).toEqual([approval(amount), { to: router, data }]);
    expect(encodeRouterCalls(operation, true)).toEqual([
      approval(0n),
      approval(amount),
      { to: router, data },
    ]);
    expect(decodeRouterCall(data as Hex)).toEqual(operation);
  });

  it('behavior: other call data is no operation', () => {
    for (const data of ['0x', '0x20e8c565', abi.encodeFunctionData('approve', [router, 1n])])
      expect(decodeRouterCall(data as Hex)).toBeUndefined();
  });
});
