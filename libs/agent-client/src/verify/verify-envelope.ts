import { isAddressEqual } from 'viem';
import { agentAddressBook } from './address-book/agent-address-book.js';
import { defaultMaxEthUsd } from './describe-envelope.js';
import { parseExpectations } from './parse-expectations.js';
import { demand, verdictOf } from './refused.js';
import { gasBound } from './steps/gas-bound.js';
import { recomputeEnvelope, type RecomputedEnvelope } from './steps/recompute-envelope.js';
import { requireChain } from './steps/require-chain.js';
import { requireOperation } from './steps/require-operation.js';
import { toVerified } from './steps/to-verified.js';
import type { EnvelopeExpectations, EnvelopeVerdict, VerifyOptions } from './types.js';

// Prepare gives ten minutes unless configured otherwise; clocks differ.
const defaultLifetimeSeconds = 900;

/**
 * Verify offline that an envelope does exactly what was asked for, so that it can be signed without trust in who made
 * it. Every hash is computed from the fields of the operation, the call data is decoded and must encode to the same
 * bytes, and every contract must stand in the address book. What it cannot know: the state of the chain.
 *
 * @param envelope - `execution.intentEnvelope` of prepare, as it came
 * @param expectations - what was asked for, and the least that is good enough
 * @returns the verified envelope, with what to sign and its effects; or the reason not to sign
 * @throws {InvalidExpectationsError} when the expectations are incomplete or nonsense
 * @example
 * const verdict = verifyEnvelope(execution.intentEnvelope, {
 *   wallet,
 *   chain: 'base',
 *   operation: { kind: 'deposit', vault, amount: 25_000_000n, minShares },
 *   maxGasUsdc: 1_000_000n,
 * });
 * if (!verdict.ok) throw new Error(verdict.reason);
 */
export function verifyEnvelope(
  envelope: unknown,
  expectations: EnvelopeExpectations,
  { addressBook = agentAddressBook, now = Date.now }: VerifyOptions = {},
): EnvelopeVerdict {
  const expected = parseExpectations(expectations);
  const maxEthUsd = expected.maxEthUsd ?? defaultMaxEthUsd;
  return verdictOf(() => {
    const recomputed = recomputeEnvelope(envelope, addressBook);
    requireChain(addressBook, expected.chain, recomputed.envelope.chainId);
    requireWallet(recomputed, expected);
    requireWindow(recomputed, expected, Math.floor(now() / 1000));
    requireOperation(recomputed.hooks, expected.operation, recomputed.deployment.usdc);
    requireAllowance(recomputed, expected);
    requireGas(recomputed, expected, maxEthUsd);
    return toVerified(recomputed, maxEthUsd, addressBook);
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
  if (!hooks.allowance) return;
  const most = expected.maxAllowanceUsdc ?? deployment.allowanceCap;
  demand(
    hooks.allowance.amount <= most,
    'ALLOWANCE_TOO_HIGH',
    'userOps.0.userOperation.callData',
    `The paymaster is allowed ${hooks.allowance.amount}, above ${most}.`,
  );
}

function requireGas(
  { operation, deployment }: RecomputedEnvelope,
  { maxGasUsdc }: EnvelopeExpectations,
  maxEthUsd: number,
): void {
  const { maxUsdc } = gasBound(operation, deployment, maxEthUsd);
  demand(
    maxUsdc <= maxGasUsdc,
    'GAS_TOO_DEAR',
    'userOps.0.userOperation',
    `Gas may cost ${maxUsdc} at ${maxEthUsd} USD for an ether, above ${maxGasUsdc}.`,
  );
}
