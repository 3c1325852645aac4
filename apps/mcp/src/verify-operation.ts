import {
  accepted,
  findToken,
  verifyEnvelope,
  verifySetup,
  verifySetupWithNode,
  verifyWithNode,
  type BookToken,
  type ExpectedOperation,
  type OperationRequest,
  type VerifiedEnvelope,
  type VerifiedSetup,
} from '@yield-vault/agent-client';
import { parseAmount } from '@yield-vault/protocol';
import { maxUint256, type Address } from 'viem';
import type { Settings } from './settings.js';

type Trusted = Pick<Settings, 'rpcUrl' | 'addressBook' | 'maxGasUsdc'>;

/** A wallet on a chain. */
interface Place {
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
): Promise<Checked<VerifiedEnvelope>> {
  if (rpcUrl) {
    const options = { wallet, chain, rpc: rpcUrl, addressBook, maxGasUsdc };
    const verified = await verifyWithNode(options, request, envelope);
    return { verified, unchecked: [] };
  }
  const operation = withoutNode(request, findToken(addressBook, chain, request.asset));
  const expectations = { wallet, chain, operation, maxGasUsdc };
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
    const verified = await verifySetupWithNode({ wallet, chain, rpc: rpcUrl, addressBook }, prepared);
    return { verified, unchecked: [] };
  }
  const verified = accepted(verifySetup(prepared, { wallet, chain }, { addressBook }));
  return { verified, unchecked: ['No node checked which delegation the setup replaces. Set RPC_URL.'] };
}
