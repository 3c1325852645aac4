import {
  accepted,
  findToken,
  verifyEnvelope,
  verifyGaslessSetup,
  verifyGaslessSetupWithNode,
  verifySetup,
  verifySetupWithNode,
  verifyWithNode,
  type BookToken,
  type EnvelopeExpectations,
  type ExpectedOperation,
  type OperationRequest,
  type PrepareSetupResponse,
  type VerifiedEnvelope,
  type VerifiedGaslessSetup,
  type VerifiedSetup,
} from '@yield-vault/agent-client';
import { parseAmount } from '@yield-vault/protocol';
import { maxUint256, type Address } from 'viem';
import type { Settings } from './settings.js';

type Trusted = Pick<Settings, 'rpcUrl' | 'addressBook' | 'maxGasUsdc'>;

/** A wallet on a chain. */
export interface Place {
  readonly wallet: Address;
  readonly chain: string;
}

/** A verified document, and a warning when no node of the user took part. */
interface Checked<Verified> {
  readonly verified: Verified;
  readonly unchecked: readonly string[];
}

/**
 * Verify an envelope against a request: with the user's own node where there is one.
 *
 * @throws {VerificationError} when it must not be signed
 */
export async function verifyOperation(
  { rpcUrl, addressBook, maxGasUsdc }: Trusted,
  { wallet, chain }: Place,
  request: OperationRequest,
  envelope: unknown,
  gaslessSetup?: EnvelopeExpectations['gaslessSetup'],
): Promise<Checked<VerifiedEnvelope>> {
  if (rpcUrl) {
    const options = { wallet, chain, rpcUrl, addressBook, maxGasUsdc };
    const verified = await verifyWithNode(options, request, envelope, gaslessSetup);
    return { verified, unchecked: [] };
  }
  const operation = withoutNode(request, findToken(addressBook, chain, request.asset));
  const expectations = { wallet, chain, operation, maxGasUsdc, gaslessSetup };
  const verified = accepted(verifyEnvelope(envelope, expectations, { addressBook }));
  const amount = operation.kind === 'redeem' ? 'the amount of shares for the percentage, ' : '';
  const warning = `No node checked the minimum, ${amount}the nonce, the delegation and the fees. Set RPC_URL.`;
  return { verified, unchecked: [warning] };
}

/** Without a node the vault's price is unknown, so every minimum above zero passes. */
function withoutNode(request: OperationRequest, { address: asset, decimals }: BookToken): ExpectedOperation {
  const { operation: kind, vault } = request;
  if (kind === 'deposit')
    return { kind, vault, asset, amount: parseAmount(request.amount, decimals), minShares: 1n };
  if (kind === 'rebalance')
    return {
      kind,
      from: vault,
      to: 'target' in request ? request.target : request.targets,
      asset,
      minAssets: 1n,
      minShares: 1n,
    };
  const shares = request.percentage === 100 ? 'all' : { atMost: maxUint256 };
  return { kind, vault, asset, shares, minAssets: 1n };
}

/**
 * Verify the setup in a prepare response, with the user's own node where there is one.
 *
 * @throws {VerificationError | UnknownModulesError} when it must not be signed
 */
export async function verifySetupOf(
  { rpcUrl, addressBook }: Trusted,
  { wallet, chain }: Place,
  prepared: unknown,
): Promise<Checked<VerifiedSetup>> {
  if (rpcUrl) {
    const verified = await verifySetupWithNode({ wallet, chain, rpcUrl, addressBook }, prepared);
    return { verified, unchecked: [] };
  }
  const verified = accepted(verifySetup(prepared, { wallet, chain }, { addressBook }));
  const warning = 'No node checked which delegation the setup replaces, and its nonces. Set RPC_URL.';
  return { verified, unchecked: [warning] };
}

/**
 * Verify the gasless setup in a prepare response, with the user's own node where there is one. Without it, its nonces are
 * taken as given: others make the signatures useless, and nothing else.
 *
 * @throws {VerificationError | UnknownModulesError} when it must not be signed
 */
export async function verifyGaslessOf(
  { rpcUrl, addressBook }: Trusted,
  { wallet, chain }: Place,
  prepared: PrepareSetupResponse,
): Promise<VerifiedGaslessSetup> {
  if (rpcUrl) return verifyGaslessSetupWithNode({ wallet, chain, rpcUrl, addressBook }, prepared);
  const { authorization, permit } = prepared.gaslessSetup ?? {};
  const nonces = {
    authorizationNonce: authorization?.nonce,
    permitNonce: permit?.message?.nonce as unknown as bigint,
  };
  return accepted(verifyGaslessSetup(prepared, { wallet, chain, ...nonces }, { addressBook }));
}
