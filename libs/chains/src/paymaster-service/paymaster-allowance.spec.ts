import { paymasterAllowance } from './paymaster-allowance.js';

const service = (context: Record<string, string>) =>
  ({ kind: 'erc7677', url: 'http://127.0.0.1:1', context }) as const;

describe('paymasterAllowance', () => {
  it.each([
    ['our own, which asks the account', { kind: 'own' } as const, 0n],
    ["Circle's", { kind: 'circle' } as const, 5n],
    ['a service that takes a token', service({ token: '0x1' }), 5n],
    ['a service that pays', service({ sponsorshipPolicyId: 'sp' }), 0n],
  ])('default: %s', (_, paymaster, allowance) => {
    expect(paymasterAllowance({ paymaster, chainId: 8453 }, 5n)).toBe(allowance);
  });

  it('behavior: no more than the cap of the chain', () => {
    const on = (chainId: number) =>
      paymasterAllowance({ paymaster: { kind: 'circle' }, chainId }, 10n ** 12n);
    expect([on(8453), on(1), on(31337)]).toEqual([100_000_000n, 500_000_000n, 10n ** 12n]);
  });
});
