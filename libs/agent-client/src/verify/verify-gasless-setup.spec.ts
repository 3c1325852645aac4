import { delegationCode, usdcPermitTypedData } from '@yield-vault/smart-account';
import { zeroAddress } from 'viem';
import { addressBook, local, localOn, ofCircle, ofService, stranger, weth } from '../../test/support/book.js';
import {
  buildGaslessExpectations,
  buildGaslessResponse,
  type GaslessParts,
} from '../../test/support/build-gasless-setup.js';
import { wallet } from '../../test/support/build-prepared.js';
import { putAt } from '../../test/support/mutate-json.js';
import { InvalidExpectationsError, type GaslessSetupExpectations } from './expectations.js';
import type { VerificationReason } from './result.js';
import { verifyGaslessSetup } from './verify-gasless-setup.js';

const verify = (response: unknown, expectations: Partial<GaslessSetupExpectations> = {}) =>
  verifyGaslessSetup(response, buildGaslessExpectations(expectations), { addressBook });
const onEthereum = localOn(1);
const circle = { deployment: ofCircle };
const ours = { walletCode: delegationCode(local.account) };
const elsewhere = { walletCode: delegationCode(stranger) };

describe('verifyGaslessSetup', () => {
  it('default: builds the authorization, and says what it allows', () => {
    const { chainId, account: address, validator, executor } = local;
    expect(verify(buildGaslessResponse(), { permitNonce: undefined })).toEqual({
      ok: true,
      authorization: { address, chainId, nonce: 7 },
      permit: null,
      deployment: local,
      effects: [
        { effect: 'delegate', implementation: address },
        { effect: 'install', module: 'validator', address: validator },
        { effect: 'install', module: 'executor', address: executor },
      ],
      summary: [
        `delegate your wallet to ${address}`,
        `install the validator module ${validator}`,
        `install the executor module ${executor}`,
        'anybody who has the authorization can use it while your nonce is 7',
      ],
    });
  });

  it("behavior: with Circle's paymaster a permit, too", () => {
    const { chainId, usdc, account: address, validator, executor, paymaster } = ofCircle;
    const spender = paymaster.address;
    expect(verify(buildGaslessResponse(circle))).toEqual({
      ok: true,
      authorization: { address, chainId, nonce: 7 },
      permit: usdcPermitTypedData({ chainId, usdc, owner: wallet, spender, value: 20_000_000n, nonce: 3n }),
      deployment: ofCircle,
      effects: [
        { effect: 'delegate', implementation: address },
        { effect: 'install', module: 'validator', address: validator },
        { effect: 'install', module: 'executor', address: executor },
        { effect: 'permit-paymaster', token: usdc, spender, amount: 20_000_000n },
      ],
      summary: [
        `delegate your wallet to ${address}`,
        `install the validator module ${validator}`,
        `install the executor module ${executor}`,
        `permit paymaster ${spender} to take 20 USDC, valid until the nonce of the permit is spent`,
        'anybody who has the authorization can use it while your nonce is 7',
        'anybody who has the permit can use it while your nonce of USDC is 3',
      ],
    });
  });

  it('behavior: the block alone', () => {
    const { gaslessSetup } = buildGaslessResponse();
    expect(verify({ gaslessSetup })).toMatchObject({ ok: true, deployment: local });
  });

  it('behavior: the permit alone where the wallet delegates already', () => {
    const { authorizationNonce: _, ...expectations } = buildGaslessExpectations(ours);
    const response = buildGaslessResponse({ ...circle, authorization: null });
    const result = verifyGaslessSetup(response, expectations, { addressBook });
    expect(result).toMatchObject({
      ok: true,
      authorization: null,
      effects: [{ effect: 'permit-paymaster' }],
    });
  });

  it('error: InvalidExpectationsError instead of a guess', () => {
    for (const wrong of [
      { permitNonce: -1n },
      { authorizationNonce: 0.5 },
      { removedModules: ['hook'] },
      { replaceDelegation: 'yes' },
      { typo: 1 },
    ]) {
      expect(() => verify(buildGaslessResponse(), wrong as never)).toThrow(InvalidExpectationsError);
    }
  });
});

describe('a gasless setup of an attacker who controls the server', () => {
  const authorization = 'gaslessSetup.authorization';
  const permit = 'gaslessSetup.permit';

  it.each<[VerificationReason, string, string, GaslessParts, Partial<GaslessSetupExpectations>?]>([
    ['CHAIN_MISMATCH', 'another chain', 'chainId', { authorization: { chainId: 1 } }],
    [
      'CHAIN_MISMATCH',
      'two chains',
      `${authorization}.chainId`,
      { ...circle, authorization: { chainId: 1 } },
    ],
    ['CHAIN_MISMATCH', 'the same deployment on another chain', 'chainId', { deployment: onEthereum }],
    ['UNKNOWN_CHAIN', 'a chain outside the book', 'chainId', { authorization: { chainId: 424_242 } }],
    ['UNKNOWN_CHAIN', 'a permit outside the book', 'chainId', { ...circle, domain: { chainId: 424_242 } }],
    [
      'IMPLEMENTATION_MISMATCH',
      'another implementation',
      authorization,
      { authorization: { contractAddress: stranger } },
    ],
    ['NONCE_MISMATCH', 'an earlier nonce', `${authorization}.nonce`, { authorization: { nonce: 6 } }],
    ['NONCE_MISMATCH', 'an unknown nonce', `${authorization}.nonce`, {}, { authorizationNonce: undefined }],
    ['PAYMASTER_MISMATCH', 'a permit for our paymaster', `${permit}.message.spender`, { message: {} }],
    [
      'PAYMASTER_MISMATCH',
      'a permit for nobody',
      `${permit}.message.spender`,
      { message: { spender: zeroAddress } },
    ],
    [
      'PAYMASTER_MISMATCH',
      'a paymaster that takes no permit',
      `${permit}.message.spender`,
      { deployment: ofService },
    ],
    [
      'WALLET_MISMATCH',
      'another owner',
      `${permit}.message.owner`,
      { ...circle, message: { owner: stranger } },
    ],
    [
      'ALLOWANCE_TOO_HIGH',
      'more than the cap',
      `${permit}.message.value`,
      { ...circle, message: { value: '100000001' } },
    ],
    [
      'ALLOWANCE_TOO_HIGH',
      'more than is wanted',
      `${permit}.message.value`,
      circle,
      { maxAllowanceUsdc: 19_999_999n },
    ],
    ['NONCE_MISMATCH', 'a later permit', `${permit}.message.nonce`, { ...circle, message: { nonce: '4' } }],
    ['NONCE_MISMATCH', 'an unknown permit', `${permit}.message.nonce`, circle, { permitNonce: undefined }],
    [
      'SIGNING_MISMATCH',
      'a deadline',
      `${permit}.message.deadline`,
      { ...circle, message: { deadline: '1800000000' } },
    ],
    [
      'ASSET_MISMATCH',
      'another token',
      `${permit}.domain`,
      { ...circle, domain: { verifyingContract: weth } },
    ],
    ['SIGNING_MISMATCH', 'another name', `${permit}.domain`, { ...circle, domain: { name: 'Permit2' } }],
    ['SETUP_TYPE_MISMATCH', 'nothing to sign', 'gaslessSetup', { authorization: null }, ours],
    ['DELEGATION_MISMATCH', 'a wallet of other software', authorization, {}, elsewhere],
    [
      'DELEGATION_MISMATCH',
      'a wallet that is a contract',
      authorization,
      {},
      { walletCode: '0x6001', replaceDelegation: true },
    ],
    [
      'DELEGATION_MISMATCH',
      'no delegation of a wallet of other software',
      authorization,
      { ...circle, authorization: null },
      { ...elsewhere, replaceDelegation: true },
    ],
    ['SETUP_TYPE_MISMATCH', 'a second delegation to our account', authorization, {}, ours],
    ['SETUP_TYPE_MISMATCH', 'a removed module', authorization, {}, { removedModules: ['validator'] }],
  ])('error: %s for %s', (reason, _, field, ...[parts, expectations]) => {
    const result = verify(buildGaslessResponse(parts), expectations);
    expect(result).toMatchObject({ ok: false, reason, field });
  });

  it.each<[VerificationReason, string, unknown]>([
    ['MALFORMED', '', null],
    ['MALFORMED', '.endpoint', '/v1/yield/execute'],
    ['MALFORMED', '.value', '1'],
    ['MALFORMED', '.permit.primaryType', 'Intent'],
    ['SIGNING_MISMATCH', '.permit.types', { Permit: [] }],
  ])('error: %s at gaslessSetup%s', (reason, place, value) => {
    const field = `gaslessSetup${place}`;
    expect(verify(putAt(buildGaslessResponse(circle), field, value))).toMatchObject({
      ok: false,
      reason,
      field,
    });
  });
});
