import { isAddressEqual } from 'viem';
import { agentAddressBook, type AddressBook } from './address-book.js';
import { effectsOf, gasBound, summarise, type Effect } from './effects.js';
import { parseExpectations, type EnvelopeExpectations } from './expectations.js';
import { requireChain } from './find-deployment.js';
import { mergeGasLimits, type GasLimits } from './gas-limits.js';
import { requireGaslessSetup } from './gasless-setup.js';
import { paymasterField } from './paymaster-data.js';
import { recomputeEnvelope, type RecomputedEnvelope } from './recompute-envelope.js';
import { requireOperation } from './require-operation.js';
import { demand, resultOf, type Refusal } from './result.js';

/** Circumstances of a verification. */
export interface VerifyOptions {
  /** Trusted addresses; the shipped book by default. */
  readonly addressBook?: AddressBook;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** An envelope whose every field was recomputed. */
export interface VerifiedEnvelope extends Omit<
  RecomputedEnvelope,
  'operation' | 'hooks' | 'authorization' | 'grant' | 'permit'
> {
  readonly ok: true;
  readonly effects: readonly Effect[];
  /** The effects in words, one line each. */
  readonly summary: readonly string[];
}

export type EnvelopeResult = VerifiedEnvelope | Refusal;

/**
 * Describe what an envelope does, after recomputing everything in it. It may still differ from your request, have unfair
 * minimums, be expired or hold a permit that nobody signed: call `verifyEnvelope` before you sign.
 *
 * @returns the effects, or the reason why no trusted deployment made it
 */
export function describeEnvelope(
  envelope: unknown,
  { addressBook = agentAddressBook }: Pick<VerifyOptions, 'addressBook'> = {},
): EnvelopeResult {
  return resultOf(() => {
    const recomputed = recomputeEnvelope(envelope, addressBook);
    return toVerified(recomputed, mergeGasLimits(recomputed.deployment), addressBook);
  });
}

const callDataField = 'userOps.0.userOperation.callData';
// Prepare gives ten minutes by default; clocks differ.
const defaultLifetimeSeconds = 900;

/**
 * Verify offline that an envelope matches the request exactly. Every hash is recomputed, the call data must decode
 * and encode to the same bytes, and every contract must be in the address book. It does not know the state of the chain.
 *
 * @param envelope - `execution.intentEnvelope` of prepare, unchanged
 * @param expectations - the request, and the lowest acceptable amounts
 * @returns the verified envelope, with what to sign and its effects; or the reason not to sign
 * @throws {InvalidExpectationsError} when the expectations are incomplete or wrong
 * @example
 * const result = verifyEnvelope(execution.intentEnvelope, {
 *   wallet,
 *   chain: 'base',
 *   operation: { kind: 'deposit', vault, amount: 25_000_000n, minShares },
 * });
 * if (!result.ok) throw new Error(result.reason);
 */
export function verifyEnvelope(
  envelope: unknown,
  expectations: EnvelopeExpectations,
  { addressBook = agentAddressBook, now = Date.now }: VerifyOptions = {},
): EnvelopeResult {
  const expected = parseExpectations(expectations);
  return resultOf(() => {
    const recomputed = recomputeEnvelope(envelope, addressBook, expected.walletCode);
    requireChain(addressBook, expected.chain, recomputed.envelope.chainId);
    requireWallet(recomputed, expected);
    requireWindow(recomputed, expected, Math.floor(now() / 1000));
    requireOperation(recomputed.hooks, expected.operation, recomputed.deployment.usdc, callDataField);
    requireGaslessSetup(recomputed, expected);
    requireAllowance(recomputed, expected);
    const limits = mergeGasLimits(recomputed.deployment, expected);
    requireGas(recomputed, limits);
    return toVerified(recomputed, limits, addressBook);
  });
}

function requireWallet(
  { operation, nonceSequence }: RecomputedEnvelope,
  expected: EnvelopeExpectations,
): void {
  const { wallet, nonceSequence: sequence } = expected;
  demand(isAddressEqual(operation.sender, wallet), 'WALLET_MISMATCH', 'sender', `It is not ${wallet}.`);
  demand(
    sequence === undefined || nonceSequence === sequence,
    'NONCE_MISMATCH',
    'userOps.0.userOperation.nonce',
    `Its sequence is ${nonceSequence}, not ${sequence}.`,
  );
}

function requireWindow(
  { envelope: { expiry } }: RecomputedEnvelope,
  { maxLifetimeSeconds = defaultLifetimeSeconds }: EnvelopeExpectations,
  now: number,
): void {
  demand(now < expiry, 'EXPIRED', 'expiry', `It expired at ${expiry}.`);
  demand(
    expiry <= now + maxLifetimeSeconds,
    'EXPIRY_TOO_FAR',
    'expiry',
    `It could be executed for longer than ${maxLifetimeSeconds} seconds.`,
  );
}

function requireAllowance({ hooks, deployment }: RecomputedEnvelope, expected: EnvelopeExpectations): void {
  const most = expected.maxAllowanceUsdc ?? deployment.allowanceCap;
  for (const { amount } of hooks.approvals) {
    demand(
      amount <= most,
      'ALLOWANCE_TOO_HIGH',
      callDataField,
      `The paymaster is allowed ${amount}, above ${most}.`,
    );
  }
}

/** Check every gas field of an operation, and its highest cost. */
function requireGas({ operation, hooks, deployment, grant }: RecomputedEnvelope, limits: GasLimits): void {
  const { maxFeePerGas, paymasterVerificationGasLimit = 0n, paymasterPostOpGasLimit = 0n } = operation;
  const vaults = BigInt(hooks.vaultHooks.length);
  const l1Gas = maxFeePerGas > 0n ? limits.maxL1FeeWei / maxFeePerGas : 0n;
  const bound = (name: string, value: bigint, most: bigint, least = 0n) => {
    const field = `userOps.0.userOperation.${name.startsWith('paymaster') ? 'paymasterAndData' : name}`;
    demand(value >= least, 'GAS_TOO_LOW', field, `${name} is ${value}, below ${least}.`);
    demand(value <= most, 'GAS_TOO_EXPENSIVE', field, `${name} is ${value}, above ${most}.`);
  };
  bound('maxFeePerGas', maxFeePerGas, limits.maxFeePerGas);
  bound('maxPriorityFeePerGas', operation.maxPriorityFeePerGas, limits.maxPriorityFeePerGas);
  bound('preVerificationGas', operation.preVerificationGas, limits.maxPreVerificationGas + l1Gas);
  bound('verificationGasLimit', operation.verificationGasLimit, limits.maxVerificationGas);
  bound('callGasLimit', operation.callGasLimit, vaults * limits.maxCallGas, vaults * limits.minCallGas);
  bound('paymasterVerificationGasLimit', paymasterVerificationGasLimit, limits.maxPaymasterVerificationGas);
  bound('paymasterPostOpGasLimit', paymasterPostOpGasLimit, limits.maxPostOpGas, limits.minPostOpGas);
  const { maxUsdc } = gasBound(operation, deployment, limits.maxEthUsd);
  const most = grant?.maximum ?? maxUsdc;
  const price = `at ${limits.maxEthUsd} USD for an ether`;
  const tooMuch = `It grants ${most} for gas that costs at most ${maxUsdc} ${price}.`;
  demand(most <= maxUsdc, 'GAS_TOO_EXPENSIVE', paymasterField, tooMuch);
  const tooHigh = `Gas may cost ${most} ${grant ? 'by its grant' : price}, above ${limits.maxGasUsdc}.`;
  demand(most <= limits.maxGasUsdc, 'GAS_TOO_EXPENSIVE', 'userOps.0.userOperation', tooHigh);
}

/** Add the effects to a recomputed envelope. */
function toVerified(
  recomputed: RecomputedEnvelope,
  { maxEthUsd }: GasLimits,
  book: AddressBook,
): VerifiedEnvelope {
  const { operation: _, hooks: __, authorization: ___, grant: ____, permit: _____, ...facts } = recomputed;
  const effects = effectsOf(recomputed, maxEthUsd);
  return { ok: true, ...facts, effects, summary: summarise(effects, facts.envelope.chainId, book) };
}
