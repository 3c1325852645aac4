import { paymasterAllowance } from './paymaster-allowance.js';

const service = (context: Record<string, string>) =>
  ({ kind: 'erc7677', url: 'http://127.0.0.1:1', context }) as const;

describe('paymasterAllowance', () => {
  it.each([
    ['our own', { kind: 'own' } as const, 5n],
    ["Circle's", { kind: 'circle' } as const, 5n],
    ['a service that takes a token', service({ token: '0x1' }), 5n],
    ['a service that pays', service({ sponsorshipPolicyId: 'sp' }), 0n],
  ])('default: %s', (_, paymaster, allowance) => {
    expect(paymasterAllowance({ paymaster }, 5n)).toBe(allowance);
  });
});
