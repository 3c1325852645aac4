import { findChainFacts } from '@yield-vault/contracts';
import { sameHex, setupTicketId, type SetupTicket, type SetupType } from '@yield-vault/protocol';
import { parseDelegation } from '@yield-vault/smart-account';
import { isAddressEqual, keccak256, zeroAddress, type Address, type Hex } from 'viem';
import { agentAddressBook, type AddressBook, type BookDeployment } from './address-book.js';
import { setupEffects, summarise, type Effect } from './effects.js';
import { parseSetupExpectations, type SetupExpectations } from './expectations.js';
import { findDeployment, requireChain, spenderOf } from './find-deployment.js';
import { readInitCalldata, readSetup, type PreparedSetup, type SetupCall } from './read-documents.js';
import { demand, resultOf, type Refusal } from './result.js';
import type { VerifyOptions } from './verify-envelope.js';

/** The transaction of a setup, without its nonce. It sends no value. */
export interface SetupTransaction {
  readonly chainId: number;
  /** The wallet itself. */
  readonly to: Address;
  readonly data: Hex;
  readonly gasLimit: bigint;
  /** Wei. */
  readonly maxFeePerGas: bigint;
  /** Wei. */
  readonly maxPriorityFeePerGas: bigint;
  /** The EIP-7702 authorization of a type-4 transaction; `null` for type 2. */
  readonly authorization: { readonly contractAddress: Address; readonly chainId: number } | null;
}

/** A setup whose every field was recomputed. */
export interface VerifiedSetup {
  readonly ok: true;
  readonly setupType: SetupType;
  /** A copy that the verification made; send this one to setup-relay. */
  readonly setupTicket: SetupTicket;
  /** Sign this one. */
  readonly transaction: SetupTransaction;
  readonly deployment: BookDeployment;
  readonly effects: readonly Effect[];
  /** The effects in words, one line each. */
  readonly summary: readonly string[];
}

export type SetupResult = VerifiedSetup | Refusal;

const defaultMaxFeeWei = 10n ** 16n;

/**
 * Verify offline that a setup only delegates the wallet to the account of the address book, with its two modules, and
 * allows a paymaster that needs it a limited amount of USDC. Give `walletCode` and `removedModules`: without them, another
 * delegation is replaced unnoticed, or a removed module stays missing.
 *
 * @param response - of prepare, or its `setup` and `setupTicket` alone
 * @returns the transaction to sign and the ticket to relay it with; or the reason not to sign
 * @throws {InvalidExpectationsError} when the expectations are incomplete or wrong
 * @example
 * const walletCode = await rpc.getCode({ address: wallet });
 * const result = verifySetup(prepared, { wallet, chain: 'base', walletCode });
 * if (!result.ok) throw new Error(result.reason);
 */
export function verifySetup(
  response: unknown,
  expectations: SetupExpectations,
  { addressBook = agentAddressBook, now = Date.now }: VerifyOptions = {},
): SetupResult {
  const expected = parseSetupExpectations(expectations);
  return resultOf(() => {
    const read = readSetup(response);
    const { setup, setupTicket } = read;
    const init = readInitCalldata(expected.wallet, setup.initCalldata);
    const deployment = setupDeployment(setupTicket, init, addressBook);
    requireChain(addressBook, expected.chain, setupTicket.chainId);
    requireTicket(read, deployment, expected, now());
    const delegates = setup.setupType === 'full';
    requireInit(init, delegates, deployment, expected);
    const replaced = requireDelegation('setup.setupType', delegates, deployment, expected);
    const transaction = transactionOf(read);
    requireFee(transaction, deployment, expected);
    const effects = setupEffects(delegates, deployment, init.approval, replaced);
    return {
      ok: true,
      setupType: setup.setupType,
      setupTicket,
      transaction,
      deployment,
      effects,
      summary: summarise(effects, deployment.chainId, addressBook),
    };
  });
}

function transactionOf({ setup, setupTicket }: PreparedSetup): SetupTransaction {
  const { initCalldata, to, gas, authorization } = setup;
  return {
    chainId: setupTicket.chainId,
    to,
    data: initCalldata,
    gasLimit: BigInt(gas.gasLimit),
    maxFeePerGas: BigInt(gas.maxFeePerGas),
    maxPriorityFeePerGas: BigInt(gas.maxPriorityFeePerGas),
    authorization,
  };
}

/** Read the highest cost of the gas of a setup that nobody verified, in wei. */
export function readSetupFee(response: unknown): Refusal | { readonly ok: true; readonly feeWei: bigint } {
  return resultOf(() => ({ ok: true, feeWei: feeOf(transactionOf(readSetup(response))) }));
}

const feeOf = ({ gasLimit, maxFeePerGas }: SetupTransaction): bigint => gasLimit * maxFeePerGas;

function requireFee(
  transaction: SetupTransaction,
  { chainId }: BookDeployment,
  expected: SetupExpectations,
): void {
  const ofChain = findChainFacts(chainId)?.gasLimits?.maxSetupFeeWei;
  const maxFeeWei = expected.maxFeeWei ?? ofChain ?? defaultMaxFeeWei;
  const fee = feeOf(transaction);
  demand(fee <= maxFeeWei, 'GAS_TOO_EXPENSIVE', 'setup.gas', `It may cost ${fee} wei, above ${maxFeeWei}.`);
}

const initField = 'setup.initCalldata';

/** Find the trusted deployment of a setup. */
function setupDeployment(
  { chainId, implementation }: SetupTicket,
  { approval }: SetupCall,
  book: AddressBook,
): BookDeployment {
  return findDeployment(book, chainId, [
    [({ account }) => account, implementation, 'IMPLEMENTATION_MISMATCH', 'setupTicket.implementation'],
    [spenderOf, approval?.spender ?? zeroAddress, 'PAYMASTER_MISMATCH', initField],
  ]);
}

/** Check that a setup restores modules unless a delegation alone installs them, and allows only what the paymaster needs. */
function requireInit(
  { restoresModules, approval }: SetupCall,
  delegates: boolean,
  { paymaster, usdc, allowanceCap }: BookDeployment,
  { maxAllowanceUsdc = allowanceCap, removedModules = [] }: SetupExpectations,
): void {
  const installs = delegates && removedModules.length === 0;
  const empty = 'It restores no modules, which this wallet needs.';
  demand(installs || restoresModules, 'CALLDATA_NOT_ALLOWED', initField, empty);
  if (!approval) return;
  const { token, amount } = approval;
  const unneeded = 'It sets an allowance, and this paymaster needs none.';
  demand(paymaster.kind !== 'own', 'CALLDATA_NOT_ALLOWED', initField, unneeded);
  demand(isAddressEqual(token, usdc), 'ASSET_MISMATCH', initField, `It allows ${token} to be taken.`);
  const tooMuch = `The paymaster is allowed ${amount}, above ${maxAllowanceUsdc}.`;
  demand(amount <= maxAllowanceUsdc, 'ALLOWANCE_TOO_HIGH', initField, tooMuch);
}

/** Check that a setup is for the wallet, and that ticket, authorization and call data belong together. */
function requireTicket(
  { setup, setupTicket, intentId, setupType }: PreparedSetup,
  { account, chainId }: BookDeployment,
  { wallet, setupType: expectedType = setup.setupType }: SetupExpectations,
  nowMs: number,
): void {
  const ofWallet = 'It is not the wallet.';
  demand(
    isAddressEqual(setupTicket.walletAddress, wallet),
    'WALLET_MISMATCH',
    'setupTicket.walletAddress',
    ofWallet,
  );
  demand(isAddressEqual(setup.to, wallet), 'WALLET_MISMATCH', 'setup.to', ofWallet);

  const types = [setup.setupType, setupTicket.setupType, setupType ?? expectedType];
  demand(
    types.every((type) => type === expectedType),
    'SETUP_TYPE_MISMATCH',
    'setup.setupType',
    `It is not a setup of type ${expectedType} throughout.`,
  );
  const { authorization } = setup;
  const delegates = setup.setupType === 'full';
  demand(
    (authorization !== null) === delegates,
    'SETUP_TYPE_MISMATCH',
    'setup.authorization',
    'A full setup has an authorization, and no other.',
  );
  if (authorization) {
    const field = 'setup.authorization';
    const isOurs = isAddressEqual(authorization.contractAddress, account);
    demand(
      isOurs,
      'IMPLEMENTATION_MISMATCH',
      `${field}.contractAddress`,
      'It is not the account of the ticket.',
    );
    demand(authorization.chainId === chainId, 'CHAIN_MISMATCH', `${field}.chainId`, `It is not ${chainId}.`);
  }
  const { initCalldataHash, expiresAt } = setupTicket;
  demand(
    sameHex(initCalldataHash, keccak256(setup.initCalldata)),
    'TICKET_MISMATCH',
    'setupTicket.initCalldataHash',
    'It is not the hash of the call data.',
  );
  demand(nowMs < Date.parse(expiresAt), 'EXPIRED', 'setupTicket.expiresAt', `It expired at ${expiresAt}.`);
  demand(
    intentId === undefined || sameHex(intentId, setupTicketId(setupTicket)),
    'INTENT_ID_MISMATCH',
    'intentId',
    'It is not the id of the ticket.',
  );
}

/**
 * Check that a setup replaces no delegation to another implementation, unless allowed. A setup that does not delegate
 * replaces nothing, but would call the code of that implementation.
 *
 * @returns the implementation that it replaces
 */
export function requireDelegation(
  field: string,
  delegates: boolean,
  { account }: BookDeployment,
  {
    walletCode = '0x',
    replaceDelegation = false,
  }: Pick<SetupExpectations, 'walletCode' | 'replaceDelegation'>,
): Address | undefined {
  const present = parseDelegation(walletCode);
  if (present === undefined || isAddressEqual(present, account)) return undefined;
  const delegated = `The wallet is delegated to ${present}`;
  const reason = 'DELEGATION_MISMATCH';
  demand(delegates, reason, field, `${delegated}, which this setup would call.`);
  demand(replaceDelegation, reason, field, `${delegated}; only replaceDelegation lets a setup replace it.`);
  return present;
}
