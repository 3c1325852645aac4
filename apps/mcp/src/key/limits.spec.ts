import { shippedRegistry } from '@yield-vault/vault-discovery/registry';
import { isAllowedVault, requireAllowedVault, requireMaxAmount } from './limits.js';

const own = '0x4791cb70E233BD6120b81e1dB416589E38B1843C';
const key = { allowedVaults: [own], maxAmounts: { USDC: '25' } } as const;
const shipped = shippedRegistry().find(({ chainId }) => chainId === 8453)!.address;
const candidate = shippedRegistry({ candidates: true }).find(({ status }) => status === 'candidate')!;
const usdc = { symbol: 'USDC', decimals: 6 };

it('default: the shipped registry of the chain, and the vaults of the user', () => {
  expect(isAllowedVault(key, 8453, shipped)).toBe(true);
  expect(isAllowedVault(key, 1, own)).toBe(true);
});

it.each([
  ['a vault of another chain', 1, shipped],
  ['a vault that was not reviewed', candidate.chainId, candidate.address],
] as const)('error: VAULT_NOT_ALLOWED for %s', (_, chainId, vault) => {
  expect(() => requireAllowedVault(key, chainId, vault)).toThrow(
    expect.objectContaining({ code: 'VAULT_NOT_ALLOWED' }),
  );
});

it('default: amounts up to MAX_AMOUNT', () => {
  expect(() => requireMaxAmount(key, usdc, '25.000000')).not.toThrow();
});

it.each([
  ['25.000001', usdc],
  ['0.01', { symbol: 'WETH', decimals: 18 }],
])('error: MAX_AMOUNT_EXCEEDED for %s of %j', (amount, token) => {
  expect(() => requireMaxAmount(key, token, amount)).toThrow(
    expect.objectContaining({ code: 'MAX_AMOUNT_EXCEEDED' }),
  );
});
