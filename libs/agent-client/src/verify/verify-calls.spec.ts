import type { CallsResponse } from '@yield-vault/protocol';
import { encodeRouterCalls } from '@yield-vault/smart-account';
import { encodeFunctionData, erc20Abi, type Hex } from 'viem';
import { addressBook, stranger, usdc, vault, weth, otherVault } from '../../test/support/book.js';
import { buildCalls, routerDeposit, routerRedeem } from '../../test/support/build-calls.js';
import { deposit, redeem, wallet } from '../../test/support/build-prepared.js';
import { mutateJson, put } from '../../test/support/mutate-json.js';
import { InvalidExpectationsError, type CallsExpectations } from './expectations.js';
import type { VerificationReason } from './result.js';
import { verifyCalls } from './verify-calls.js';

const { router } = addressBook.deployments[0]!;
const depositing: CallsExpectations = {
  wallet,
  chain: 'base',
  operation: { kind: 'deposit', vault, amount: deposit.amount, minShares: deposit.minShares },
};
const redeeming: CallsExpectations = {
  wallet,
  chain: 8453,
  operation: { kind: 'redeem', vault, shares: redeem.shares, minAssets: redeem.minAssets },
};
const verify = (response: unknown, expectations = depositing) =>
  verifyCalls(response, expectations, { addressBook });

const documents: readonly (readonly [string, CallsResponse, CallsExpectations])[] = [
  ['a deposit', buildCalls(), depositing],
  ['a deposit after another allowance', buildCalls(routerDeposit, true), depositing],
  ['a redeem', buildCalls(routerRedeem), redeeming],
];

describe('verifyCalls', () => {
  it.each(documents)('default: %s', (_, response, expectations) => {
    const calls = response.calls.map(({ to, data }) => ({ to, data }));
    const { chainId, from, minOut } = { chainId: 8453, from: wallet, minOut: BigInt(response.minOut) };
    expect(verify(response, expectations)).toMatchObject({ ok: true, chainId, from, calls, minOut });
    expect(verify({ ...response, atomicRequired: true }, expectations).ok).toBe(true);
  });

  it('behavior: says what the calls do', () => {
    expect(verify(buildCalls())).toMatchObject({
      effects: [
        { effect: 'approve', token: usdc, spender: router, amount: deposit.amount },
        { effect: 'deposit', vault, receiver: wallet, minShares: deposit.minShares },
      ],
      summary: [
        `approve 25 USDC to ${router}`,
        `deposit 25 USDC into ${vault} for at least 24.87 svUSDC, to yourself`,
      ],
    });
    expect(verify(buildCalls(routerRedeem), redeeming)).toMatchObject({
      effects: [
        { effect: 'approve', token: vault, spender: router, amount: redeem.shares },
        { effect: 'redeem', vault, receiver: wallet, minAssets: redeem.minAssets },
      ],
    });
  });

  it('behavior: no more shares than a percentage brings', () => {
    const atMost = (shares: bigint) =>
      verify(buildCalls(routerRedeem), {
        ...redeeming,
        operation: { kind: 'redeem', vault, shares: { atMost: shares }, minAssets: 1n },
      });
    expect(atMost(redeem.shares).ok).toBe(true);
    expect(atMost(redeem.shares - 1n)).toMatchObject({ reason: 'AMOUNT_MISMATCH' });
  });

  const approve = (amount: bigint, spender = router, to = usdc) => ({
    to,
    data: encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, amount] }),
    value: '0x0',
  });
  const own = buildCalls();
  const [first, last] = own.calls as [CallsResponse['calls'][number], CallsResponse['calls'][number]];
  const withCalls = (...calls: unknown[]) => ({ ...own, calls });
  it.each<[VerificationReason, string, string, unknown, CallsExpectations?]>([
    ['MALFORMED', 'another version', 'version', { ...own, version: '3.0.0' }],
    ['MALFORMED', 'no calls', 'calls', withCalls()],
    ['UNKNOWN_CHAIN', 'a chain of nobody', 'chainId', own, { ...depositing, chain: 'nowhere' }],
    ['CHAIN_MISMATCH', 'another chain', 'chainId', { ...own, chainId: '0x1' }],
    ['WALLET_MISMATCH', 'another wallet', 'from', { ...own, from: stranger }],
    ['CALLDATA_NOT_ALLOWED', 'an approval alone', 'calls.0.data', withCalls(first)],
    ['CALLDATA_NOT_ALLOWED', 'another router', 'calls.1.to', withCalls(first, { ...last, to: stranger })],
    ['OPERATION_MISMATCH', 'a redeem', 'calls.1.data', buildCalls(routerRedeem)],
    ['VAULT_MISMATCH', 'another vault', 'calls.1.data', buildCalls({ ...routerDeposit, vault: otherVault })],
    ['ASSET_MISMATCH', 'another asset', 'calls.1.data', buildCalls({ ...routerDeposit, token: weth })],
    [
      'AMOUNT_MISMATCH',
      'another amount',
      'calls.1.data',
      buildCalls({ ...routerDeposit, amount: 26_000_000n }),
    ],
    ['MINIMUM_TOO_LOW', 'a low minimum', 'calls.1.data', buildCalls({ ...routerDeposit, minOut: 1n })],
    [
      'AMOUNT_MISMATCH',
      'a minOut that the call lacks',
      'minOut',
      { ...own, minOut: `${deposit.minShares + 1n}` },
    ],
    ['CALLDATA_NOT_ALLOWED', 'no approval', 'calls', withCalls(last)],
    ['CALLDATA_NOT_ALLOWED', 'a larger approval', 'calls', withCalls(approve(deposit.amount + 1n), last)],
    [
      'CALLDATA_NOT_ALLOWED',
      'an approval of a stranger',
      'calls',
      withCalls(approve(deposit.amount, stranger), last),
    ],
    ['CALLDATA_NOT_ALLOWED', 'a further call', 'calls', withCalls(first, first, last)],
    ['CALLDATA_NOT_ALLOWED', 'a fourth call', 'calls', withCalls(approve(0n), first, first, last)],
    ['CALLDATA_NOT_ALLOWED', 'ether', 'calls', withCalls(first, { ...last, value: '0x1' })],
    [
      'CALLDATA_NOT_ALLOWED',
      'bytes behind the end',
      'calls',
      withCalls(first, { ...last, data: `${last.data}00` }),
    ],
  ])('error: %s for %s', (reason, _, field, ...[response, expectations]) => {
    expect(verify(response, expectations)).toMatchObject({ ok: false, reason, field });
  });

  it('error: InvalidExpectationsError without a minimum', () => {
    const operation = { kind: 'deposit', vault, amount: 1n, minShares: 0n } as const;
    expect(() => verify(own, { ...depositing, operation })).toThrow(InvalidExpectationsError);
  });

  it('behavior: of more than 5,000 mutations, the only ones that pass leave the calls as they are', () => {
    let refused = 0;
    // Without the reset of an allowance, the calls only revert for some tokens.
    const harmless = [
      encodeRouterCalls(routerDeposit, false),
      encodeRouterCalls(routerDeposit, true),
      encodeRouterCalls(routerRedeem, false),
    ];
    for (const [, response, expectations] of documents) {
      const bits = response.calls.flatMap(({ data }, place) =>
        [...Array(data.length / 2 - 1).keys()].flatMap((byte) =>
          [...Array(8).keys()].map((bit) =>
            put(response, ['calls', place, 'data'], flipBit(data, byte, bit)),
          ),
        ),
      );
      for (const document of [...mutateJson(response).map((one) => one.document), ...bits]) {
        const result = verify(document, expectations);
        if (!result.ok) refused += 1;
        else expect(harmless).toContainEqual(result.calls);
      }
    }
    expect(refused).toBeGreaterThan(5_000);
  });
});

const flipBit = (data: Hex, byte: number, bit: number): Hex => {
  const at = 2 + 2 * byte;
  const changed = parseInt(data.slice(at, at + 2), 16) ^ (1 << bit);
  return `${data.slice(0, at)}${changed.toString(16).padStart(2, '0')}${data.slice(at + 2)}` as Hex;
};
