import type { PrepareSetupResponse } from '@yield-vault/protocol';
import type { Address } from 'viem';
import { deploymentsOn } from '../delegation/describe-delegation.js';
import { agentAddressBook, type BookToken } from '../verify/address-book.js';
import type { EnvelopeExpectations } from '../verify/expectations.js';
import { mergeGasLimits } from '../verify/gas-limits.js';
import { accepted } from '../verify/result.js';
import { describeEnvelope, verifyEnvelope, type VerifiedEnvelope } from '../verify/verify-envelope.js';
import { verifyGaslessSetup, type VerifiedGaslessSetup } from '../verify/verify-gasless-setup.js';
import { verifySetup, type VerifiedSetup } from '../verify/verify-setup.js';
import { expectedOperation, findToken, requireReachableMinimums } from './expected-operation.js';
import type { Limits, OperationRequest } from './types.js';
import { walletNodeOf, type OwnNode, type WalletNode } from './wallet-node.js';

export const defaultMaxSlippageBps = 100;

/** The wallet that another program signs for, its node and its limits. */
export type VerifyWithNodeOptions = OwnNode & Limits & { readonly wallet: Address };

/** The agent's wallet and node, and the token of its request. */
export interface Own {
  readonly wallet: Address;
  readonly token: BookToken;
  readonly node: WalletNode;
}

/**
 * Verify that an envelope matches the request exactly, with minimums, nonce and the price of gas from your own node. It takes
 * no key: use it where another program signs. `execute` verifies in the same way.
 *
 * @param envelope - `execution.intentEnvelope` of prepare, unchanged
 * @param gaslessSetup - nonces of what the wallet signed, for an envelope of gasless-setup
 * @returns the verified envelope, with what to sign and its effects
 * @throws {VerificationError} when it must not be signed
 * @throws {FlowError} when the node serves another chain, the address book lacks the asset, or there is nothing to redeem
 * @throws {InvalidParametersError} when the amount is no amount of the token
 * @throws {NodeFailedError} when the node fails
 * @example
 * const { signing } = await verifyWithNode({ wallet, rpc, chain: 'base' }, request, execution.intentEnvelope);
 */
export async function verifyWithNode(
  options: VerifyWithNodeOptions,
  request: OperationRequest,
  envelope: unknown,
  gaslessSetup?: EnvelopeExpectations['gaslessSetup'],
): Promise<VerifiedEnvelope> {
  return verifyExecution(options, request, await ownOf(options, request.asset), envelope, gaslessSetup);
}

/**
 * Verify the setup of a prepare response, with delegation and modules from your own node. It takes no key.
 *
 * @returns the transaction to sign and the ticket to relay it with
 * @throws {VerificationError} when it is no setup of the address book, or replaces another delegation
 * @throws {UnknownModulesError} when it would activate unknown modules
 * @throws {FlowError} when the node serves another chain, or the address book lacks the chain
 * @throws {NodeFailedError} when the node fails
 */
export async function verifySetupWithNode(
  options: VerifyWithNodeOptions,
  prepared: unknown,
): Promise<VerifiedSetup> {
  return verifyPreparedSetup(options, await ownOf(options), prepared);
}

/**
 * Verify the gasless setup of a prepare response, with nonces, delegation and modules from your own node. It takes no key.
 *
 * @returns the authorization and the permit to sign
 * @throws {VerificationError | UnknownModulesError | FlowError | NodeFailedError} as `verifySetupWithNode`
 */
export async function verifyGaslessSetupWithNode(
  options: VerifyWithNodeOptions,
  prepared: Pick<PrepareSetupResponse, 'gaslessSetup'>,
): Promise<VerifiedGaslessSetup> {
  return verifyPreparedGasless(options, await ownOf(options), prepared);
}

/** Open the node, and check its chain. */
export async function ownOf(
  options: OwnNode & Pick<VerifyWithNodeOptions, 'wallet' | 'chain' | 'addressBook'>,
  asset = 'USDC',
): Promise<Own> {
  const { wallet, chain, addressBook = agentAddressBook } = options;
  const token = findToken(addressBook, chain, asset);
  const node = walletNodeOf(options);
  await node.requireChain(chain, token.chainId);
  return { wallet, token, node };
}

/** Verify a gasless setup with a node whose chain is checked. */
export async function verifyPreparedGasless(
  { chain, addressBook = agentAddressBook, replaceDelegation = false }: Limits,
  { wallet, token, node }: Own,
  prepared: Pick<PrepareSetupResponse, 'gaslessSetup'>,
): Promise<VerifiedGaslessSetup> {
  const [{ usdc }] = deploymentsOn(addressBook, token.chainId);
  const [walletCode, authorizationNonce, permitNonce, removedModules] = await Promise.all([
    node.codeOf(wallet),
    node.nonceOf(wallet),
    prepared.gaslessSetup?.permit ? node.permitNonceOf(wallet, usdc) : undefined,
    node.removedModulesOf(wallet),
    node.requireKnownModules(wallet, addressBook),
  ]);
  const nonces = { authorizationNonce, permitNonce };
  const expectations = { wallet, chain, walletCode, removedModules, replaceDelegation, ...nonces };
  return accepted(verifyGaslessSetup(prepared, expectations, { addressBook }));
}

/** Verify a setup with a node whose chain is checked. */
export async function verifyPreparedSetup(
  { chain, addressBook = agentAddressBook, replaceDelegation = false, maxSetupFeeWei: maxFeeWei }: Limits,
  { wallet, node }: Pick<Own, 'wallet' | 'node'>,
  prepared: unknown,
): Promise<VerifiedSetup> {
  const [walletCode, removedModules] = await Promise.all([
    node.codeOf(wallet),
    node.removedModulesOf(wallet),
  ]);
  const expectations = {
    wallet,
    chain,
    walletCode,
    removedModules,
    replaceDelegation,
    maxFeeWei,
  };
  const verified = accepted(verifySetup(prepared, expectations, { addressBook }));
  await node.requireKnownModules(wallet, addressBook);
  return verified;
}

/**
 * Verify that a prepared envelope matches the request exactly. Minimums, nonce and fees come from the agent's own node, so
 * of all envelopes that the service may hand out until then, only one can be included.
 */
export async function verifyExecution(
  limits: Limits,
  request: OperationRequest,
  { wallet, token, node }: Own,
  envelope: unknown,
  gaslessSetup?: EnvelopeExpectations['gaslessSetup'],
): Promise<VerifiedEnvelope> {
  const { chain, addressBook = agentAddressBook, maxSlippageBps = defaultMaxSlippageBps } = limits;
  const { deployment, effects } = accepted(describeEnvelope(envelope, { addressBook }));
  const target = effects.find((one) => one.effect === 'deposit')?.vault;
  const [operation, nonceSequence, walletCode, nodeLimits] = await Promise.all([
    expectedOperation(request, { wallet, token, maxSlippageBps, target }, node),
    node.nonceSequenceOf(wallet, deployment),
    node.codeOf(wallet),
    node.readGasLimits(deployment),
  ]);
  const expectations = {
    ...mergeGasLimits(deployment, nodeLimits, limits),
    wallet,
    chain,
    operation,
    walletCode,
    nonceSequence,
    gaslessSetup,
  };
  const vaults = operation.kind === 'rebalance' ? [request.vault, operation.to].flat() : [request.vault];
  const shares = await Promise.all(vaults.map((vault) => node.shareTokenOf(vault, token.chainId)));
  const named = { ...addressBook, tokens: [...addressBook.tokens, ...shares] };
  const verified = accepted(verifyEnvelope(envelope, expectations, { addressBook: named }));
  await requireReachableMinimums(verified.effects, wallet, node);
  return verified;
}
