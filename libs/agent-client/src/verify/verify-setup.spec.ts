import { delegationCode, encodeInitializeAccount } from '@yield-vault/smart-account';
import { concat, keccak256, parseGwei, zeroAddress } from 'viem';
import { addressBook, local, localOn, ofCircle, stranger, weth } from '../../test/support/book.js';
import { clock, now, wallet } from '../../test/support/build-prepared.js';
import { buildSetupResponse, type SetupParts } from '../../test/support/build-setup.js';
import { InvalidExpectationsError, type SetupExpectations } from './expectations.js';
import type { VerificationReason } from './result.js';
import { verifySetup } from './verify-setup.js';

const elsewhere = delegationCode(stranger);
const circle = { deployment: ofCircle };
const options = { addressBook, ...clock };
const verify = (response: unknown, expectations: Partial<SetupExpectations> = {}) =>
  verifySetup(response, { wallet, chain: 'base', ...expectations }, options);

describe('verifySetup', () => {
  it('default: returns the transaction to sign and its effects', () => {
    const { setup, setupTicket, ...rest } = buildSetupResponse();
    const result = verify({ setup, setupTicket, ...rest });
    expect(result).toEqual({
      ok: true,
      setupType: 'full',
      setupTicket,
      transaction: {
        chainId: 8453,
        to: wallet,
        data: '0x',
        gasLimit: 150_000n,
        maxFeePerGas: 2_000_000_000n,
        maxPriorityFeePerGas: 1_000_000n,
        authorization: { contractAddress: local.account, chainId: 8453 },
      },
      deployment: local,
      effects: [
        { effect: 'delegate', implementation: local.account },
        { effect: 'install', module: 'validator', address: local.validator },
        { effect: 'install', module: 'executor', address: local.executor },
      ],
      summary: [
        `delegate your wallet to ${local.account}`,
        `install the validator module ${local.validator}`,
        `install the executor module ${local.executor}`,
      ],
    });
  });

  it('behavior: modules alone, and the two documents alone', () => {
    const { setup, setupTicket } = buildSetupResponse({ setupType: 'modules' });
    const result = verify({ setup, setupTicket }, { setupType: 'modules' });
    expect(result).toMatchObject({ ok: true, setupType: 'modules', transaction: { authorization: null } });
    expect(result.ok && result.effects.map(({ effect }) => effect)).toEqual(['install', 'install']);
  });

  it('behavior: a delegation that also restores default modules', () => {
    const initCalldata = encodeInitializeAccount();
    const result = verify(buildSetupResponse({ setup: { initCalldata } }));
    expect(result).toMatchObject({ ok: true, transaction: { data: initCalldata } });
  });

  it.each(['full', 'modules'] as const)("behavior: Circle's paymaster gets an allowance, %s", (setupType) => {
    const result = verify(buildSetupResponse({ deployment: ofCircle, setupType }));
    expect(result).toMatchObject({ ok: true, deployment: ofCircle });
    const { address: spender } = ofCircle.paymaster;
    expect(result.ok && result.effects.at(-1)).toEqual({
      effect: 'approve-paymaster',
      token: local.usdc,
      spender,
      amount: 100_000_000n,
    });
    expect(result.ok && result.summary.at(-1)).toBe(`set the allowance of paymaster ${spender} to 100 USDC`);
  });

  it.each([undefined, '0x', delegationCode(local.account), '0x6001'] as const)(
    'behavior: a wallet whose code is %s has nothing to be replaced',
    (walletCode) => {
      expect(verify(buildSetupResponse(), { walletCode })).toEqual(verify(buildSetupResponse()));
    },
  );

  it('behavior: a chain whose native token is cheap has its own limit of the fee', () => {
    const verifyAt = (maxFeePerGas: bigint) => {
      const gas = { gasLimit: '80000', maxFeePerGas: `${maxFeePerGas}`, maxPriorityFeePerGas: '1' };
      const response = buildSetupResponse({ deployment: localOn(137), setup: { gas } });
      return verify(response, { chain: 'polygon' });
    };
    // As prepare sets it while the base fee and the tip are 30 gwei.
    expect(verifyAt(parseGwei('132'))).toMatchObject({ ok: true });
    expect(verifyAt(parseGwei('12500') + 1n)).toMatchObject({ ok: false, reason: 'GAS_TOO_EXPENSIVE' });
  });

  it('behavior: takes the place of another delegation where that is wanted, and says so', () => {
    const result = verify(buildSetupResponse(), { walletCode: elsewhere, replaceDelegation: true });
    expect(result).toMatchObject({
      ok: true,
      effects: [{ effect: 'delegate', implementation: local.account, replaces: stranger }, {}, {}],
    });
    expect(result.ok && result.summary[0]).toBe(
      `delegate your wallet to ${local.account}, in place of ${stranger}`,
    );
  });

  it('error: InvalidExpectationsError instead of a guess', () => {
    for (const wrong of [{ maxFeeWei: 0.1 }, { typo: 1 }, { replaceDelegation: 'yes' }]) {
      expect(() => verify(buildSetupResponse(), wrong as never)).toThrow(InvalidExpectationsError);
    }
  });
});

describe('a consistent setup of an attacker who controls the server', () => {
  it.each<[VerificationReason, string, SetupParts, Partial<SetupExpectations>?]>([
    ['UNKNOWN_CHAIN', 'a chain outside the book', { ticket: { chainId: 11 } }],
    ['CHAIN_MISMATCH', 'another chain', {}, { chain: 1 }],
    [
      'CHAIN_MISMATCH',
      'a delegation on every chain',
      { setup: { authorization: { contractAddress: local.account, chainId: 1 } } },
    ],
    ['IMPLEMENTATION_MISMATCH', 'another implementation', { deployment: { ...local, account: stranger } }],
    [
      'IMPLEMENTATION_MISMATCH',
      'a delegation to something else',
      { setup: { authorization: { contractAddress: stranger, chainId: 8453 } } },
    ],
    ['DELEGATION_MISMATCH', 'a wallet that is delegated elsewhere', {}, { walletCode: elsewhere }],
    [
      'DELEGATION_MISMATCH',
      'a call of the code that the wallet is delegated to',
      { setupType: 'modules' },
      { walletCode: elsewhere, replaceDelegation: true },
    ],
    ['PAYMASTER_MISMATCH', 'an allowance of somebody else', { approval: { spender: stranger } }],
    ['PAYMASTER_MISMATCH', 'an allowance of our paymaster', { approval: {} }],
    ['CALLDATA_NOT_ALLOWED', 'an allowance of nobody', { approval: { spender: zeroAddress } }],
    ['ASSET_MISMATCH', 'another token', { ...circle, approval: { token: weth } }],
    ['ALLOWANCE_TOO_HIGH', 'a unit above the cap', { ...circle, approval: { amount: 100_000_001n } }],
    ['ALLOWANCE_TOO_HIGH', 'more than is wanted', circle, { maxAllowanceUsdc: 99_999_999n }],
    [
      'CALLDATA_NOT_ALLOWED',
      'modules that nothing restores',
      { setupType: 'modules', setup: { initCalldata: '0x' } },
    ],
    ['WALLET_MISMATCH', 'the ticket of another wallet', { ticket: { walletAddress: stranger } }],
    ['WALLET_MISMATCH', 'a call of something else', { setup: { to: weth } }],
    ['SETUP_TYPE_MISMATCH', 'a delegation where modules were missing', {}, { setupType: 'modules' }],
    [
      'SETUP_TYPE_MISMATCH',
      'a delegation under another name',
      { setupType: 'modules', setup: { authorization: { contractAddress: local.account, chainId: 8453 } } },
    ],
    ['SETUP_TYPE_MISMATCH', 'a ticket of the other type', { ticket: { setupType: 'modules' } }],
    ['TICKET_MISMATCH', 'a ticket for other call data', { ticket: { initCalldataHash: keccak256('0x00') } }],
    ['EXPIRED', 'a ticket that is due', { ticket: { expiresAt: new Date(now * 1000).toISOString() } }],
    [
      'GAS_TOO_EXPENSIVE',
      'a fee that drains the wallet',
      { setup: { gas: { gasLimit: '400000', maxFeePerGas: '25000000001', maxPriorityFeePerGas: '0' } } },
    ],
    ['GAS_TOO_EXPENSIVE', 'a fee above what is wanted', {}, { maxFeeWei: 299_999_999_999_999n }],
    ['CALLDATA_NOT_ALLOWED', 'a transfer', { setup: { initCalldata: `0xa9059cbb${'00'.repeat(64)}` } }],
    [
      'CALLDATA_NOT_ALLOWED',
      'bytes behind the call',
      { setup: { initCalldata: concat([encodeInitializeAccount(), '0x00']) } },
    ],
    [
      'MALFORMED',
      'a delegation on chain 0, which is every chain',
      { setup: { authorization: { contractAddress: local.account, chainId: 0 } } },
    ],
  ])('error: %s for %s', (reason, _, ...[parts, expectations]) => {
    expect(verify(buildSetupResponse(parts), expectations)).toMatchObject({ ok: false, reason });
  });

  it.each<[VerificationReason, string, object]>([
    ['INTENT_ID_MISMATCH', 'another id', { intentId: keccak256('0x') }],
    ['SETUP_TYPE_MISMATCH', 'another type of the response', { setupType: 'modules' }],
    ['MALFORMED', 'an execution besides', { execution: {} }],
  ])('error: %s for %s', (reason, _, change) => {
    expect(verify({ ...buildSetupResponse(), ...change })).toMatchObject({ ok: false, reason });
  });
});
